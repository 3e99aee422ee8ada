local http = require("http")

local base = "http://levels.example.com"
local other = "http://levels.example.org" -- phaser:ignore no-http-url

--[[ TODO: cache ]]
return function(name)
  return http.get(base .. "/" .. name)
end
