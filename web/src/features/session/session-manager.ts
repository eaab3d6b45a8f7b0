import type { AccessTokens } from '@/lib/api/http'
import { answerOf } from '@/lib/api/problem'
import type { Session, User } from '@/lib/api/types'
import type { SessionSource, SignOutScope } from './session-source'
import { isAccountNews, type SessionNews, type TabLink } from './tab-link'

/** How often the token's remaining lifetime is checked. */
export const TICK_MS = 30_000
/** A token with this many ticks left, or fewer, is renewed. */
const RENEW_AT_TICKS = 3
/** Exponential backoff: the first pause after a failed read; each further one doubles. */
const BACKOFF_MS = 200
/** How long to wait for another tab's broadcast of a renewal. */
const BROADCAST_MS = 2000
/** While a page loads, the server counts as unreachable after this many attempts ... */
const INITIAL_TRIES = 4
/** ... or after this many milliseconds without a response. */
const UNREACHABLE_AFTER_MS = 5000
/** How long the server may take to say how a session ended that the hint says is over. */
const HINT_AFTER_MS = 1000

export type SessionEvent =
  | 'initial_session'
  | 'signed_in'
  /** By the person, here or in another tab. */
  | 'signed_out'
  /** The session ended on the server. */
  | 'expired'
  | 'token_refreshed'
  | 'user_updated'
  /** This sign-in has taken back the deletion of the account. */
  | 'deletion_taken_back'
  /** Somebody seems to be signed in, but the server does not answer. */
  | 'unreachable'

export type SessionListener = (event: SessionEvent, session: Session | null) => void

/** A session and when its access token expires, by this machine's own clock. */
export interface HeldSession {
  session: Session
  deadline: number
}

/**
 * Holds the session of this tab in memory: nothing is written to storage, only the browser's cookie outlives the page.
 * One tab at a time renews the access token and broadcasts the result to the others.
 */
export class SessionManager {
  #held: HeldSession | null = null
  #announced = false
  /** Whether it is known if somebody is signed in, and who. */
  #answered = false
  #unreachable = false
  #renewing = false
  /** The signal of the running `#readUntilAnswered`, of which there is one at a time. */
  #retrying: AbortSignal | null = null
  #started: AbortSignal | null = null
  /** Counts the sign-outs: the result of a read that started before one is discarded. */
  #generation = 0
  #reading: Promise<Session | null> | null = null
  #disabled = false
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
    const leave = this.tabs.subscribe((news) => {
      if (isAccountNews(news)) return this.#setUser(news.account)
      if (!news || news === 'expired') this.#invalidateRead()
      this.#adopt(news, 'tab')
    })
    const timer = setInterval(() => void this.#tick(signal), TICK_MS)
    const wake = () => this.#wake(signal)
    const onShow = ({ persisted }: PageTransitionEvent) => {
      if (persisted) this.#revalidate()
    }
    document.addEventListener('visibilitychange', wake)
    for (const name of ['online', 'focus']) window.addEventListener(name, wake)
    window.addEventListener('pageshow', onShow)
    if (this.source.expected()) void this.#readUntilAnswered(signal)
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

  /** Whether the server's last answer was that who is signed in has no session because the account is disabled. */
  get disabled(): boolean {
    return this.#disabled
  }

  /** The bearer of calls to the API, and how to replace one that was refused. */
  readonly tokens: AccessTokens = {
    current: () => this.session?.access_token ?? null,
    owner: () => this.session?.user.id ?? null,
    renew: async (refused) => (await this.renew(refused))?.access_token ?? null,
  }

  /**
   * Reads the session from the server; concurrent calls share one request (single flight).
   * Resolves to null when signed out; rejects when the server did not answer.
   */
  read(): Promise<Session | null> {
    if (this.#reading) return this.#reading
    const reading = this.#fetch().finally(() => {
      if (this.#reading === reading) this.#reading = null
    })
    this.#reading = reading
    return reading
  }

  /** The session; the server is asked for it if the hint says that somebody is signed in. Rejects like `read`. */
  async current(): Promise<Session | null> {
    return this.session ?? (this.source.expected() ? this.read() : null)
  }

  /**
   * For a page that cannot go on without the session: announces `unreachable`, and retries in the background until
   * the server answers. Resolves after the first attempt.
   */
  async retry(): Promise<void> {
    if (!this.#held) this.#announceUnreachable()
    if (this.#started) void this.#readUntilAnswered(this.#started)
    await this.read().catch(() => {})
  }

  /**
   * Renews the access token, unless another tab has done so while this one waited for the lock.
   * `spent` is the token that the server refused.
   */
  async renew(spent = this.session?.access_token): Promise<Session | null> {
    return this.tabs.withLock(async () => {
      if (this.session?.access_token === spent && (await this.#isBehind()))
        await this.#waitForBroadcast()
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
    this.ended()
  }

  /** Ends the session in every tab, after something that the person did has ended it on the server. */
  ended(): void {
    this.#invalidateRead()
    this.#adopt(null, 'person')
  }

  /** Updates the account in every tab, after something that the person did has changed it on the server. */
  updateUser(user: User): void {
    this.#setUser(user)
    this.tabs.broadcast({ account: user })
  }

  /** Replaces the account of the session, if it is that of `user`. */
  #setUser(user: User): void {
    if (this.#held?.session.user.id !== user.id) return
    const { session, deadline } = this.#held
    this.#adopt({ session: { ...session, user }, deadline }, 'tab')
  }

  /** Whether another tab has a newer session, whose broadcast has not arrived here yet. */
  async #isBehind(): Promise<boolean> {
    return (await this.tabs.latestDeadline()) > (this.#held?.deadline ?? 0)
  }

  /** Waits for another tab's broadcast, with a timeout. */
  #waitForBroadcast(): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        unsubscribe()
        resolve()
      }
      const timer = setTimeout(end, BROADCAST_MS)
      const unsubscribe = this.subscribe(end)
    })
  }

  async #fetch(): Promise<Session | null> {
    const generation = this.#generation
    const before = this.session?.user.id
    const read = await this.source.read()
    const answer = read === 'disabled' ? null : read
    this.#disabled = read === 'disabled'
    if (generation !== this.#generation) return this.session
    const now = this.session?.user.id
    // Another tab has told of another person meanwhile: whether this answer is older is unknown, so it is asked for again.
    if (now !== before && now !== answer?.user.id) return this.#fetch()
    if (!answer) {
      this.#adopt(null, 'server')
      return null
    }
    // That a deletion was taken back is news once, and for this tab alone.
    const { deletionTakenBack, ...session } = answer
    this.#adopt({ session, deadline: Date.now() + session.expires_in * 1000 }, 'server')
    if (deletionTakenBack) this.#emit('deletion_taken_back')
    return session
  }

  /** Retries with backoff until the server answers. */
  async #readUntilAnswered(stop: AbortSignal): Promise<void> {
    if (this.#retrying === stop) return
    this.#retrying = stop
    // The answer may have come meanwhile from elsewhere: another tab, or a read outside this loop.
    const unanswered = () => {
      if (!this.#answered) this.#announceUnreachable()
    }
    const late = setTimeout(unanswered, UNREACHABLE_AFTER_MS)
    stop.addEventListener('abort', () => clearTimeout(late))
    for (let tries = 1; !this.#answered && !stop.aborted; tries++) {
      try {
        await this.read()
      } catch (problem) {
        if (tries >= INITIAL_TRIES) unanswered()
        await pause(pauseAfter(problem, Math.min(BACKOFF_MS * 2 ** (tries - 1), TICK_MS)), stop)
      }
    }
    clearTimeout(late)
    if (this.#retrying === stop) this.#retrying = null
  }

  /** Catches up when the page comes to the foreground: in the background its timers are throttled or stopped. */
  #wake(stop: AbortSignal): void {
    if (document.visibilityState !== 'visible') return
    if (!this.#answered) void this.read().catch(() => {})
    // The cookie has changed without a broadcast, such as by a tab that has no BroadcastChannel.
    else if (this.source.expected() !== (this.#held !== null)) this.#revalidate()
    else void this.#tick(stop)
  }

  /**
   * Reads the session again, in case it has changed meanwhile. A session that is over by the hint ends here without the
   * server, if that is slow or away: the page may be in front of somebody else.
   */
  #revalidate(): void {
    if (!this.#held && !this.source.expected()) return
    const leave = () => {
      if (this.#held && !this.source.expected()) this.#adopt(null, 'hint')
    }
    const late = setTimeout(leave, HINT_AFTER_MS)
    void this.read()
      .catch(() => {
        leave()
        if (!this.#held && this.source.expected()) void this.retry()
      })
      .finally(() => clearTimeout(late))
  }

  async #tick(stop: AbortSignal): Promise<void> {
    if (this.#renewing || !this.#held) return
    if (ticksLeft(this.#held) > RENEW_AT_TICKS) return
    this.#renewing = true
    await this.#renewWithin(TICK_MS, stop)
    this.#renewing = false
  }

  /** Retries with backoff for at most `ms`; a later tick starts again. */
  async #renewWithin(ms: number, stop: AbortSignal): Promise<void> {
    const spent = this.session?.access_token
    const end = performance.now() + ms
    for (let delay = BACKOFF_MS; !stop.aborted; delay *= 2) {
      try {
        await this.renew(spent)
        return
      } catch (problem) {
        const wait = pauseAfter(problem, delay)
        if (performance.now() + wait >= end) return
        await pause(wait, stop)
      }
    }
  }

  /** Discards the result of a read in flight, and lets the next caller start a new one. */
  #invalidateRead(): void {
    this.#generation++
    this.#reading = null
  }

  /** Applies a change of the session that the server, another tab, the person or the hint cookie reports. */
  #adopt(news: SessionNews, from: 'server' | 'tab' | 'person' | 'hint'): void {
    const previous = this.#held?.session ?? null
    const next = news === 'expired' ? null : news
    const end = news === 'expired' || from === 'server' ? 'expired' : 'signed_out'
    this.#held = next
    this.#answered = true
    const events = this.#eventsOf(previous, next?.session ?? null, end)
    this.#unreachable = false
    for (const event of events) this.#emit(event)
    if (events.length === 0 || from === 'tab' || from === 'hint') return
    this.tabs.broadcast(next ?? (from === 'person' ? null : 'expired'))
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

/** The deadline is measured from receipt by this machine's clock, so a wrong clock cannot cause a renewal loop. */
function ticksLeft(held: HeldSession): number {
  return Math.floor((held.deadline - Date.now()) / TICK_MS)
}

/**
 * How long to wait after a failure: as long as the server asks for (Retry-After), but at most a tick, or else `backoff`;
 * and up to a tenth longer, so that not all tabs and browsers ask at the same moment.
 */
function pauseAfter(problem: unknown, backoff: number): number {
  const asked = answerOf(problem)?.retryAfter ?? 0
  return Math.max(backoff, Math.min(asked * 1000, TICK_MS)) * (1 + Math.random() / 10)
}

/** Sleeps for `ms`, or until `stop` is aborted. */
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
