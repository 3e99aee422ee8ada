module CODE/CODE // COMMENT
require "STRING" v1.0.0 // indirect COMMENT
replace CODE => ../CODE
