#!/usr/bin/env node
// Starts the phaser that was installed for this platform, and ends as it ends.
"use strict";

const { spawnSync } = require("child_process");

const name = `@phaser-enforce/${process.platform}-${process.arch}`;

function fail(message) {
  process.stderr.write(`phaser: ${message}\n`);
  process.exit(3);
}

function find() {
  try {
    return require.resolve(`${name}/bin/phaser`);
  } catch {
    const { optionalDependencies = {} } = require("../package.json");
    if (name in optionalDependencies) {
      fail(`${name} is not installed; install again without '--omit=optional' ('--no-optional')`);
    }
    const known = Object.keys(optionalDependencies).map((one) => one.split("/")[1]);
    fail(`there is no build for ${process.platform}-${process.arch} (only for ${known.join(", ")}); build it from source`);
  }
}

const { status, signal, error } = spawnSync(find(), process.argv.slice(2), { stdio: "inherit" });
if (error) fail(error.message);
if (signal) process.kill(process.pid, signal);
else process.exitCode = status;
