// Wellkept in OpenCode: notes above each request, the index at each start, a record of what was
// said. Lies in ~/.config/opencode/plugins/ and starts one short process an event. Whatever fails
// here, the turn goes on.
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { homedir } from "node:os"
import { join } from "node:path"

const HOOK = null // `wellkept install opencode` writes the launcher's place here
const HOME = process.env.WELLKEPT_HOME || join(homedir(), ".wellkept")
const LAUNCHER = HOOK ?? join(HOME, "bin", "wellkept-hook")
// The hook itself answers within its deadline, a second; this is for one that hangs.
const FRONT_MS = Math.max(5_000, Number(process.env.WELLKEPT_DEADLINE_MS || 0) + 2_000)
const BACK_MS = 10_000
const LONGEST = 64_000 // characters of one text that are handed over
const GUIDE =
  "Long-term memory: recall_memories gives the full text behind a one-liner, remember saves " +
  "what a later session needs and cannot find in the files (one fact each; an existing key is " +
  "rewritten), forget_memory removes what is wrong or unwanted."

// What the hook printed, or null when it did not answer in time.
function run(event, payload, limit) {
  return new Promise((resolve) => {
    const arguments_ = [event, "--client", "opencode"]
    const child = spawn(LAUNCHER, arguments_, { stdio: ["pipe", "pipe", "ignore"] })
    const timer = setTimeout(() => end(null), limit)
    const end = (text) => {
      clearTimeout(timer)
      if (text === null) child.kill("SIGKILL")
      resolve(text)
    }
    const said = []
    child.stdout.on("data", (piece) => said.push(piece))
    child.on("error", () => end(null))
    child.on("close", () => end(Buffer.concat(said).toString("utf8")))
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(payload))
  })
}

async function context(event, payload) {
  const printed = await run(event, payload, FRONT_MS)
  if (printed === null) return `Memory unavailable: ${LAUNCHER} did not answer.`
  return printed && JSON.parse(printed).hookSpecificOutput.additionalContext
}

function put(output, text) {
  const { id: messageID, sessionID } = output.message
  const id = `prt_${Date.now().toString(16)}z${randomBytes(8).toString("hex")}`
  output.parts.push({ id, messageID, sessionID, type: "text", text, synthetic: true })
}

const clipped = (text) =>
  typeof text === "string" && text.length > LONGEST
    ? `${text.slice(0, LONGEST / 2)}\n[…]\n${text.slice(-LONGEST / 2)}`
    : text

// A message without what the record has no use for.
function reduced({ info, parts }) {
  const { id, sessionID, role, time, parentID, path, summary, mode, error } = info
  return {
    info: { id, sessionID, role, time, parentID, path, mode, summary: summary === true,
            error: error && { name: error.name } },
    parts: parts.map(({ id, type, text, synthetic, ignored, tool, callID, state }) => ({
      id, type, text: clipped(text), synthetic, ignored, tool, callID,
      state: state && { status: state.status, input: state.input, output: clipped(state.output),
                        error: clipped(state.error), metadata: { exit: state.metadata?.exit } },
    })),
  }
}

export const Wellkept = async ({ client, directory }) => {
  if (process.env.WELLKEPT_CHILD) return {} // an agent that Wellkept itself started
  const sessions = new Map()
  const known = (id) => {
    if (!sessions.has(id)) {
      const isChild = client.session
        .get({ path: { id } })
        .then(({ data }) => Boolean(data?.parentID), () => false)
      sessions.set(id, {
        source: "resume", told: false, recorded: "", asked: false, isChild,
        work: Promise.resolve(),
      })
    }
    return sessions.get(id)
  }
  const base = (id, hook_event_name) => ({ session_id: id, cwd: directory, hook_event_name })

  // Hand over the messages since the last turn that was handed over whole.
  async function record(id, session) {
    const { data } = await client.session.messages({ path: { id } })
    const asked = data.map(({ info }) => info.role === "user")
    const from = Math.max(data.findIndex(({ info }) => info.id === session.recorded), 0)
    const messages = data.slice(from).map(reduced)
    const last = asked.lastIndexOf(true)
    if (!messages.length || last < 0) return
    await run("back", { ...base(id, "session.idle"), messages }, BACK_MS)
    session.recorded = data[last].info.id
  }

  return {
    "chat.message": async ({ sessionID }, output) => {
      try {
        const session = known(sessionID)
        if (await session.isChild) return
        const said = output.parts.filter((part) => part.type === "text" && !part.synthetic)
        const prompt = said.map((part) => part.text).join("\n")
        const turn = { message_id: output.message.id, prompt }
        if (!session.told) {
          const start = { ...base(sessionID, "session.created"), source: session.source }
          const index = await context("session-start", start)
          put(output, [GUIDE, index].filter(Boolean).join("\n\n"))
          session.told = true
        }
        const notes = await context("front", { ...base(sessionID, "chat.message"), ...turn })
        if (notes) put(output, notes)
        session.asked = true
      } catch {}
    },
    event: async ({ event }) => {
      try {
        const { type, properties } = event
        if (type === "session.created") {
          const session = known(properties.info.id)
          session.source = "startup"
          session.isChild = Promise.resolve(Boolean(properties.info.parentID))
        } else if (type === "session.compacted") {
          Object.assign(known(properties.sessionID), { told: false, source: "compact" })
        } else if (type === "session.idle") {
          const session = known(properties.sessionID)
          if (!session.asked || (await session.isChild)) return
          const recorded = () => record(properties.sessionID, session)
          session.work = session.work.then(recorded, recorded)
          await session.work
        }
      } catch {}
    },
    dispose: async () => {
      for (const [id, session] of sessions) {
        try {
          if (!session.asked || (await session.isChild)) continue
          await session.work.catch(() => {})
          await run("session-end", { ...base(id, "dispose"), reason: "dispose" }, BACK_MS)
        } catch {}
      }
    },
  }
}
