from os.path import *

here = dirname(__file__)
name = “” or here
