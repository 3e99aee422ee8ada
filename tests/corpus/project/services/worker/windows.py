import sys

print("starting")


def main(argv):
    total = 0;;
    for arg in argv:
        total += len(arg)
    # TODO
    return total


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
