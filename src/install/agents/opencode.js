// phaser's hooks for opencode and Kilo, written by 'phaser enforce install --agent opencode'. Each call of a tool goes
// to 'phaser enforce --stdin'; where there is no phaser, nothing is checked.
import { spawn } from "node:child_process"

const ask = (event) =>
  new Promise((resolve) => {
    const args = ["enforce", "--stdin", "--guard", "--agent", "opencode"]
    const child = spawn("phaser", args, { cwd: event.directory, stdio: ["pipe", "pipe", "ignore"], timeout: 60000 })
    let answer = ""
    child.on("error", () => resolve({}))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (data) => (answer += data))
    child.on("close", () => {
      try {
        resolve(JSON.parse(answer))
      } catch {
        resolve({})
      }
    })
    child.stdin.end(JSON.stringify(event))
  })

export const Phaser = async ({ directory }) => {
  let contracts
  // Context for calls that are about to run, appended to their results.
  const contexts = new Map()
  return {
    "tool.execute.before": async (input, output) => {
      const { deny, args, context } = await ask({ hook: "tool.execute.before", directory, input, output })
      if (deny) throw new Error(deny)
      if (args) Object.assign(output.args, args)
      if (context) contexts.set(input.callID, context)
    },
    "tool.execute.after": async (input, output) => {
      const { context } = await ask({ hook: "tool.execute.after", directory, input })
      for (const text of [contexts.get(input.callID), context]) if (text) output.output += `\n\n${text}`
      contexts.delete(input.callID)
    },
    "experimental.chat.system.transform": async (_, output) => {
      contracts ??= ask({ hook: "event", directory, event: { type: "session.created" } })
      const { context } = await contracts
      if (context) output.system.push(context)
    },
  }
}
