import os
import logging as log


class Store:
    def load(self, path):
        try:
            return eval(open(path).read())
        except:
            pass

    def save(self, value=[], other={}):
        assert value, "empty"
        print("saving", value)  # print("not me")
        os.system("rm -rf " + value)
        if value == None:
            return eval(eval("1"))
        db.execute("select %s" % value)
        db.execute(query, (value,))


def broken(:
    eval(after_error)
lambda x: x
