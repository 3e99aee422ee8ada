# phaser:ignore-file no-star-import -- generated
from one import *
from two import *
print("banner")  # phaser:ignore no-print

print("the match starts on the line before")  # phaser:ignore no-print
# phaser:ignore-next-line no-print, no-semicolon
print("banner");
print("phaser:ignore no-print")
print("x")  # phaser:ignore
print("y")  # phaser:ignore No-Print
print("z")  # phaser:ignore-all
