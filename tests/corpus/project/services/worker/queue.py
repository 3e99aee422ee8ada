import json
import time


def drain(queue):
    while True:
        job = queue.get()
        if job is None:
            break

        print("job", job.id)
        try:
            job.run()
        except :
            queue.put(job)
        except ValueError:
            time.sleep(1)


def describe(job):
    value = eval(job.expression)
    other = job.eval(value)
    literal = ast.literal_eval(job.payload)
    return json.dumps([value, other, literal])
