import type { AccessTokens } from '@/lib/api/http'
import type { Session } from '@/lib/api/types'
import type { SessionSource, SignOutScope } from './session-source'
import type { TabLink } from './tab-link'

/** How often a held token is looked at. */
export const TICK_MS = 30_000
/** A token with this many ticks left, or fewer, is renewed. */
const RENEW_AT_TICKS = 3
/** The first pause after a failed read; each further one doubles. */
const BACKOFF_MS = 200
/** How long news of a renewal may be on their way from one tab to another. */
const NEWS_MS = 2000
/** Reads on page load give up after this many tries, so that a page never waits on a dead server. */
const INITIAL_TRIES = 4

export type SessionEvent =
  'initial_session' | 'signed_in' | 'signed_out' | 'token_refreshed' | 'user_updated'

export type SessionListener = (event: SessionEvent, session: Session | null) => void

/** A session and the moment, on this machine's own clock, at which its access token ends. */
export interface HeldSession {
  session: Session
  deadline: number
}

/**
 * Holds the session of this tab in memory: nothing is written to storage, the browser's cookie is
 * the only lasting proof. One tab renews at a time and hands the result to the others.
 */
export class SessionManager {
  #held: HeldSession | null = null
  #announced = false
  #answered = false
  #renewing = false
  /** Counts the sign-outs: an answer to a question asked before one is about a session that is gone. */
  #generation = 0
  #reading: Promise<Session | null> | null = null
  readonly #listeners = new Set<SessionListener>()

  constructor(
    private readonly source: SessionSource,
    private readonly tabs: TabLink,
  ) {}

  /** Reads the session, then keeps it fresh until the returned function is called. */
  start(): () => void {
    const stop = new AbortController()
    const tick = () => void this.#tick(stop.signal)
    const leave = this.tabs.join((remote) => {
      if (!remote) this.#outdateReading()
      this.#adopt(remote, 'tab')
    })
    const timer = setInterval(tick, TICK_MS)
    // Background tabs have their timers throttled, so a tab that comes back looks at once.
    const onVisible = () => {
      if (document.visibilityState === 'visible') tick()
    }
    document.addEventListener('visibilitychange', onVisible)
    void this.read(INITIAL_TRIES).catch(() => this.#announceUnknown())
    return () => {
      stop.abort()
      leave()
      clearInterval(timer)
      document.removeEventListener('visibilitychange', onVisible)
    }
  }

  subscribe(listener: SessionListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get session(): Session | null {
    return this.#held?.session ?? null
  }

  /** The bearer of calls to the API, and how to replace one that was refused. */
  readonly tokens: AccessTokens = {
    current: () => this.session?.access_token ?? null,
    renew: async (refused) => (await this.renew(refused))?.access_token ?? null,
  }

  /**
   * Asks the server for the session, once for all callers that ask meanwhile.
   * Resolves to null when signed out; rejects when the server could not answer in `tries` tries.
   */
  read(tries = 1): Promise<Session | null> {
    if (this.#reading) return this.#reading
    const reading = this.#readNow(tries).finally(() => {
      if (this.#reading === reading) this.#reading = null
    })
    this.#reading = reading
    return reading
  }

  /**
   * Replaces the access token, unless another tab has done so while this one waited for its turn.
   * `spent` is the token that the caller found refused.
   */
  async renew(spent = this.session?.access_token): Promise<Session | null> {
    return this.tabs.exclusively(async () => {
      if (this.session?.access_token === spent && (await this.#isBehind())) await this.#news()
      const current = this.session
      if (current && current.access_token !== spent) return current
      return this.read()
    })
  }

  /**
   * Ends the session on the server and in every tab; with the scope `all`, those of all browsers and
   * Macs of the account. Rejects, still signed in, when it cannot.
   */
  async signOut(scope: SignOutScope = 'device'): Promise<void> {
    await this.source.end(this.session?.access_token ?? null, scope)
    this.#outdateReading()
    this.#adopt(null, 'server')
  }

  /** Whether another tab has told of a newer session, which has not arrived here yet. */
  async #isBehind(): Promise<boolean> {
    return (await this.tabs.latest()) > (this.#held?.deadline ?? 0)
  }

  /** Waits for another tab to tell of its session, but not for long. */
  #news(): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        unsubscribe()
        resolve()
      }
      const timer = setTimeout(end, NEWS_MS)
      const unsubscribe = this.subscribe(end)
    })
  }

  async #readNow(tries: number): Promise<Session | null> {
    const generation = this.#generation
    const outdated = () => generation !== this.#generation
    for (let attempt = 1; ; attempt++) {
      try {
        const session = await this.source.read()
        if (outdated()) return this.session
        const deadline = session ? Date.now() + session.expires_in * 1000 : 0
        this.#adopt(session ? { session, deadline } : null, 'server')
        return session
      } catch (error) {
        if (attempt >= tries) throw error
        await pause(BACKOFF_MS * 2 ** (attempt - 1))
        if (outdated()) return this.session
      }
    }
  }

  async #tick(stop: AbortSignal): Promise<void> {
    if (this.#renewing) return
    if (this.#held === null && this.#answered) return
    if (this.#held && ticksLeft(this.#held) > RENEW_AT_TICKS) return
    this.#renewing = true
    await this.#renewWithin(TICK_MS, stop)
    this.#renewing = false
  }

  /** Tries until the next pause would not fit into `ms`: a later tick starts the row again. */
  async #renewWithin(ms: number, stop: AbortSignal): Promise<void> {
    const spent = this.session?.access_token
    const end = performance.now() + ms
    for (let delay = BACKOFF_MS; !stop.aborted; delay *= 2) {
      try {
        await this.renew(spent)
        return
      } catch {
        if (performance.now() + delay >= end) return
        await pause(delay, stop)
      }
    }
  }

  /** Lets a reading in flight change nothing any more, and the next caller start a new one. */
  #outdateReading(): void {
    this.#generation++
    this.#reading = null
  }

  #adopt(next: HeldSession | null, from: 'server' | 'tab'): void {
    const previous = this.#held
    this.#held = next
    this.#answered = true
    const events = this.#eventsOf(previous?.session ?? null, next?.session ?? null)
    for (const event of events) this.#emit(event)
    if (from === 'server' && events.length > 0) this.tabs.tell(next)
  }

  #eventsOf(previous: Session | null, next: Session | null): SessionEvent[] {
    if (!this.#announced) return ['initial_session']
    if (!next) return previous ? ['signed_out'] : []
    if (previous?.user.id !== next.user.id) return ['signed_in']
    const events: SessionEvent[] = []
    if (previous.access_token !== next.access_token) events.push('token_refreshed')
    if (JSON.stringify(previous.user) !== JSON.stringify(next.user)) events.push('user_updated')
    return events
  }

  /** No answer yet: pages treat the person as signed out, later ticks go on asking. */
  #announceUnknown(): void {
    if (!this.#announced) this.#emit('initial_session')
  }

  #emit(event: SessionEvent): void {
    this.#announced = true
    for (const listener of this.#listeners) listener(event, this.session)
  }
}

/** Measured on this machine's clock from receipt, so a wrong clock cannot cause a renewal loop. */
function ticksLeft(held: HeldSession): number {
  return Math.floor((held.deadline - Date.now()) / TICK_MS)
}

/** Waits; a stop cuts the wait short. */
function pause(ms: number, stop?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      stop?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    stop?.addEventListener('abort', end)
  })
}
