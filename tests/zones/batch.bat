@echo off
REM COMMENT "COMMENT"
:: COMMENT
@rem COMMENT
rem
set CODE="STRING & STRING" & CODE %CODE% don't ^" CODE
echo rem CODE
