% Draws the kelvin scale.
x = linspace(0, 400, 100);
y = x - 273.15;
plot(x, y);
label = 'kelvin_axis';
title('Kelvin') % phaser:ignore unit-symbols -- the axis needs its name
