<?php
// escapes(input) elsewhere
$subject = htmlspecialchars($input['subject']);
$ok = eval('return 1;'); # phaser:ignore no-eval
$ok = eval('return 2;'); // phaser:ignore no-eval
