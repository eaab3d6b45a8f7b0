import type { AccessTokens } from '@/lib/api/http'
import type { Session } from '@/lib/api/types'
import type { SessionSource, SignOutScope } from './session-source'
import type { TabLink, TabNews } from './tab-link'

/** How often a held token is looked at. */
export const TICK_MS = 30_000
/** A token with this many ticks left, or fewer, is renewed. */
const RENEW_AT_TICKS = 3
/** The first pause after a failed read; each further one doubles. */
const BACKOFF_MS = 200
/** How long news of a renewal may be on their way from one tab to another. */
const NEWS_MS = 2000
/** A page that loads says that the server cannot be reached after this many tries ... */
const INITIAL_TRIES = 4
/** ... or after so many milliseconds without an answer. */
const UNANSWERED_MS = 5000

export type SessionEvent =
  | 'initial_session'
  | 'signed_in'
  /** By the person, here or in another tab. */
  | 'signed_out'
  /** The server does not know the session any more. */
  | 'expired'
  | 'token_refreshed'
  | 'user_updated'
  /** Somebody seems to be signed in, but the server does not answer. */
  | 'unreachable'

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
  /** Whether it is known who is signed in, if anybody is. */
  #answered = false
  #unreachable = false
  #renewing = false
  /** The page that waits for a first answer. */
  #asking: AbortSignal | null = null
  #started: AbortSignal | null = null
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
    const { signal } = stop
    this.#started = signal
    const leave = this.tabs.join((news) => {
      if (!news || news === 'expired') this.#outdateReading()
      this.#adopt(news, 'tab')
    })
    const timer = setInterval(() => void this.#tick(signal), TICK_MS)
    const wake = () => this.#wake(signal)
    const onShow = ({ persisted }: PageTransitionEvent) => {
      if (persisted) this.#check()
    }
    document.addEventListener('visibilitychange', wake)
    for (const name of ['online', 'focus']) window.addEventListener(name, wake)
    window.addEventListener('pageshow', onShow)
    if (this.source.expected()) void this.#ask(signal)
    else if (!this.#answered) this.#adopt(null, 'hint')
    return () => {
      stop.abort()
      leave()
      clearInterval(timer)
      document.removeEventListener('visibilitychange', wake)
      for (const name of ['online', 'focus']) window.removeEventListener(name, wake)
      window.removeEventListener('pageshow', onShow)
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
   * Resolves to null when signed out; rejects when the server did not answer.
   */
  read(): Promise<Session | null> {
    if (this.#reading) return this.#reading
    const reading = this.#readNow().finally(() => {
      if (this.#reading === reading) this.#reading = null
    })
    this.#reading = reading
    return reading
  }

  /**
   * For whoever cannot go on without an answer: tells that the server cannot be reached, and asks
   * until it can. Resolves when one try is over.
   */
  async retry(): Promise<void> {
    if (!this.#held) this.#announceUnreachable()
    if (this.#started) void this.#ask(this.#started)
    await this.read().catch(() => {})
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
    this.#adopt(null, 'person')
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

  async #readNow(): Promise<Session | null> {
    const generation = this.#generation
    const session = await this.source.read()
    if (generation !== this.#generation) return this.session
    const deadline = session ? Date.now() + session.expires_in * 1000 : 0
    this.#adopt(session ? { session, deadline } : null, 'server')
    return session
  }

  /** Asks until somebody answers. */
  async #ask(stop: AbortSignal): Promise<void> {
    if (this.#asking === stop) return
    this.#asking = stop
    const late = setTimeout(() => this.#announceUnreachable(), UNANSWERED_MS)
    stop.addEventListener('abort', () => clearTimeout(late))
    for (let tries = 1; !this.#answered && !stop.aborted; tries++) {
      try {
        await this.read()
      } catch {
        if (tries >= INITIAL_TRIES) this.#announceUnreachable()
        await pause(Math.min(BACKOFF_MS * 2 ** (tries - 1), TICK_MS), stop)
      }
    }
    clearTimeout(late)
    if (this.#asking === stop) this.#asking = null
  }

  /** Looks again when the page may have been away: its timers are throttled, or stand still. */
  #wake(stop: AbortSignal): void {
    if (document.visibilityState !== 'visible') return
    if (!this.#answered) void this.read().catch(() => {})
    // Another tab that could not tell this one.
    else if (this.source.expected() !== (this.#held !== null)) this.#check()
    else void this.#tick(stop)
  }

  /** Asks whether all is as it was. */
  #check(): void {
    if (!this.#held && !this.source.expected()) return
    this.read().catch(() => {
      if (!this.#held) void this.retry()
    })
  }

  async #tick(stop: AbortSignal): Promise<void> {
    if (this.#renewing || !this.#held) return
    if (ticksLeft(this.#held) > RENEW_AT_TICKS) return
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

  /** Takes what the server, another tab, the person or the hint cookie says. */
  #adopt(news: TabNews, from: 'server' | 'tab' | 'person' | 'hint'): void {
    const previous = this.#held?.session ?? null
    const next = news === 'expired' ? null : news
    const end = news === 'expired' || from === 'server' ? 'expired' : 'signed_out'
    this.#held = next
    this.#answered = true
    const events = this.#eventsOf(previous, next?.session ?? null, end)
    this.#unreachable = false
    for (const event of events) this.#emit(event)
    if (events.length === 0 || from === 'tab' || from === 'hint') return
    this.tabs.tell(next ?? (from === 'person' ? null : 'expired'))
  }

  #eventsOf(
    previous: Session | null,
    next: Session | null,
    end: 'signed_out' | 'expired',
  ): SessionEvent[] {
    if (!this.#announced) return ['initial_session']
    if (!next) return previous ? [end] : this.#unreachable ? ['signed_out'] : []
    if (previous?.user.id !== next.user.id) return ['signed_in']
    const events: SessionEvent[] = []
    if (previous.access_token !== next.access_token) events.push('token_refreshed')
    if (JSON.stringify(previous.user) !== JSON.stringify(next.user)) events.push('user_updated')
    return events
  }

  #announceUnreachable(): void {
    this.#answered = false
    if (this.#unreachable) return
    this.#unreachable = true
    this.#emit('unreachable')
  }

  #emit(event: SessionEvent): void {
    if (event !== 'unreachable') this.#announced = true
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
