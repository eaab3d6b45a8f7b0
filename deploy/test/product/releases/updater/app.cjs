// Plays installed Mac apps that look for an update. Everything that electron-updater
// would find on a Mac or in Electron is set up here; electron-updater itself is the
// real one, its HTTP included but for the socket.
//
// Reads a list of apps from standard input and writes what became of each to
// standard output, both as JSON.
'use strict'

const childProcess = require('node:child_process')
const { createHash } = require('node:crypto')
const { EventEmitter } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const https = require('node:https')
const Module = require('node:module')
const os = require('node:os')
const path = require('node:path')

/** Squirrel.Mac as electron-updater drives it: takes the archive from a local server. */
class Squirrel extends EventEmitter {
  setFeedURL(feed) {
    this.feed = feed
  }

  checkForUpdates() {
    this.install().then(
      () => this.emit('update-downloaded'),
      (error) => this.emit('error', error),
    )
  }

  async install() {
    const { url } = await (await fetch(this.feed.url, { headers: this.feed.headers })).json()
    this.archive = Buffer.from(await (await fetch(url)).arrayBuffer())
  }
}

let squirrel
const load = Module._load
Module._load = (name, ...rest) =>
  name === 'electron' ? { autoUpdater: squirrel } : load(name, ...rest)

/** Makes this process look like a Mac to whoever asks it. */
function become({ arch, darwin = '23.5.0', rosetta = false }) {
  const silicon = arch === 'arm64' || rosetta
  Object.defineProperty(process, 'platform', { value: 'darwin' })
  Object.defineProperty(process, 'arch', { value: arch })
  os.release = () => darwin
  childProcess.execFileSync = (program) =>
    program === 'sysctl'
      ? `sysctl.proc_translated: ${rosetta ? 1 : 0}\n`
      : `Darwin mac ${darwin} ${silicon ? 'RELEASE_ARM64_T6000 arm64' : 'RELEASE_X86_64 x86_64'}\n`
}

/** Node's function for a request of these options. */
const requestOf = ({ protocol }) => (protocol === 'https:' ? https : http).request

/** A request of Electron's `net` whose redirects its caller follows, by new options. */
class ManualRequest extends EventEmitter {
  constructor(options, callback) {
    super()
    let request
    this.abort = () => request.destroy()
    this.followRedirect = this.end = () => {
      request = requestOf(options)({ ...options, agent: false }, (response) => {
        if (response.statusCode < 300 || response.statusCode >= 400) return callback(response)
        response.resume()
        this.emit('redirect', response.statusCode, 'GET', response.headers.location)
      })
      request.on('error', (error) => this.emit('error', error))
      request.end()
    }
  }
}

async function play(app) {
  become(app)
  squirrel = new Squirrel()
  const { MacUpdater } = require('electron-updater')
  const { ElectronHttpExecutor } = require('electron-updater/out/electronHttpExecutor')

  /** Electron's own, on Node's sockets instead of Chromium's. */
  class NodeExecutor extends ElectronHttpExecutor {
    createRequest(options, callback) {
      const receive = (response) => {
        response.once('close', () => (outcome.received += response.socket.bytesRead))
        callback(response)
      }
      if (options.redirect === 'manual') return new ManualRequest(options, receive)
      return requestOf(options)({ ...options, agent: false }, receive)
    }
  }

  const lines = []
  const outcome = { log: lines, received: 0 }
  fs.mkdirSync(app.home, { recursive: true })
  process.env.HOME = app.home
  const config = path.join(app.home, 'app-update.yml')
  fs.writeFileSync(config, 'provider: generic\nurl: http://127.0.0.1:1\nupdaterCacheDirName: fledge-updater\n')
  if (app.stagingId) fs.writeFileSync(path.join(app.home, '.updaterId'), app.stagingId)

  const updater = new MacUpdater(null, {
    whenReady: () => Promise.resolve(),
    version: app.version,
    name: 'Fledge',
    isPackaged: true,
    appUpdateConfigPath: config,
    userDataPath: app.home,
    baseCachePath: path.join(app.home, 'Library', 'Caches'),
    quit() {},
    relaunch() {},
    onQuit() {},
  })
  updater.httpExecutor = new NodeExecutor()
  const log = (line) => lines.push(String(line))
  updater.logger = { info: log, warn: log, error: log, debug: log }
  updater.autoDownload = false
  updater.setFeedURL({ provider: 'generic', url: app.feed, useMultipleRangeRequest: false })
  if (app.channel) updater.channel = app.channel
  updater.allowDowngrade = app.allowDowngrade === true
  if (app.says) updater.requestHeaders = app.says
  try {
    const found = await updater.checkForUpdates()
    outcome.available = found.isUpdateAvailable
    outcome.version = found.updateInfo.version
    const { releaseNotes } = found.updateInfo
    outcome.notes = Array.isArray(releaseNotes)
      ? releaseNotes.map(({ version, note }) => `${version}: ${note}`).join('\n')
      : releaseNotes
    outcome.minimumVersion = found.updateInfo.minimumVersion
    if (found.isUpdateAvailable && app.install) {
      await updater.downloadUpdate()
      outcome.installed = createHash('sha512').update(squirrel.archive).digest('base64')
    }
    if (app.percentage !== undefined) {
      outcome.inRollout = await updater.isStagingMatch({ stagingPercentage: app.percentage })
    }
  } catch (error) {
    outcome.error = error.code ?? error.message
  } finally {
    updater.closeServerIfExists()
  }
  return outcome
}

async function main() {
  const outcomes = []
  for (const app of JSON.parse(fs.readFileSync(0, 'utf8'))) outcomes.push(await play(app))
  fs.writeFileSync(1, JSON.stringify(outcomes))
  process.exit(0) // the updater keeps its local server for an app that lives on
}

void main()
