module Parse (number) where

import Data.Char (isDigit)

-- TODO negative numbers
number :: String -> Maybe Int
number text
  | all isDigit text = Just (read text)
  | otherwise = Nothing -- TODO(grace)
