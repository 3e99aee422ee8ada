# -*- coding: latin-1 -*-
GREETING = "déjà vu"  # ééé TODO: move to UTF-8
print(GREETING)
try:
    run()
except:
    pass
