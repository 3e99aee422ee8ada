
from .$. import/xp