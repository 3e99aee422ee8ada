ZERO = 273.15


def to_celsius(kelvins):
    """From Kelvin to degrees."""
    return kelvins - ZERO


SCALES = ("KELVIN", "Kelvin", "Celsius")
