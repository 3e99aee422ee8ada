#!/usr/bin/env node
// Starts the phaser that was installed for this platform, passes signals on, and ends as it ends.
"use strict";

const { spawn } = require("child_process");

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

// Passed on, so that phaser never outlives this process. Set up first: a signal that comes while phaser starts waits for it.
let child;
const signals = ["SIGHUP", "SIGINT", "SIGTERM"];
for (const signal of signals) process.on(signal, () => child.kill(signal));

child = spawn(find(), process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => fail(error.message));
child.on("exit", (status, signal) => {
  for (const each of signals) process.removeAllListeners(each);
  if (signal) process.kill(process.pid, signal);
  else process.exitCode = status;
});
