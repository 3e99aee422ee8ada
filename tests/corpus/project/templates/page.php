<?php
function page(array $input): string
{
    try {
        $name = escape($input)['name'];
    } catch (Throwable $e) {}
    return "<h1>$name</h1>";
}

$result = eval($code);
$password = 'changeme'; # TODO
