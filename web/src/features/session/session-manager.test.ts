import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { aloneTab, aSession, managerOf } from '@/testing/session'
import { answerProblem } from '@/lib/api/problem'
import type { Session } from '@/lib/api/types'
import { type SessionEvent, SessionManager, TICK_MS } from './session-manager'
import { isAccountNews, type TabLink, type TabNews } from './tab-link'

const token = (n: number, expires_in = 600) => aSession({ access_token: `token-${n}`, expires_in })

/** A manager over scripted answers; an Error is a server that did not answer. */
function scripted(
  answers: (Session | 'disabled' | null | Error)[],
  tabs: TabLink = aloneTab,
  hint = true,
) {
  const read = vi.fn(async () => {
    const next = answers.length > 1 ? answers.shift() : answers[0]
    if (next instanceof Error) throw next
    return next ?? null
  })
  const end = vi.fn(async () => {})
  const expected = vi.fn(() => hint)
  const manager = new SessionManager({ expected, read, end }, tabs)
  const events: SessionEvent[] = []
  manager.subscribe((event) => events.push(event))
  const stop = manager.start()
  onTestFinished(stop)
  return { manager, events, expected, read, end, stop }
}

/**
 * Tabs of one browser: what one tells, the others hear after `delay` ms (0: at once); one at a time
 * has the floor.
 */
function browser(delay = 0): () => TabLink {
  const ears = new Set<(news: TabNews) => void>()
  let floor: Promise<unknown> = Promise.resolve()
  let latest = 0
  return () => {
    let own: ((news: TabNews) => void) | null = null
    return {
      subscribe(receive) {
        own = receive
        ears.add(receive)
        return () => ears.delete(receive)
      },
      broadcast(news) {
        const ends = !news || news === 'expired' || isAccountNews(news)
        latest = Math.max(latest, ends ? 0 : news.deadline)
        const spread = () => ears.forEach((ear) => ear !== own && ear(structuredClone(news)))
        if (delay > 0) setTimeout(spread, delay)
        else spread()
      },
      latestDeadline: async () => latest,
      withLock(task) {
        const turn = floor.then(task)
        floor = turn.catch(() => {})
        return turn
      },
    }
  }
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(0) // the jitter of retries
})
afterEach(() => {
  vi.useRealTimers()
})

const settle = () => vi.advanceTimersByTimeAsync(0)

describe('SessionManager', () => {
  it('announces the first answer, signed in or out', async () => {
    const signedIn = scripted([token(1)])
    const signedOut = scripted([null])
    await settle()
    expect(signedIn.events).toEqual(['initial_session'])
    expect(signedIn.manager.session?.access_token).toBe('token-1')
    expect(signedOut.events).toEqual(['initial_session'])
    expect(signedOut.manager.session).toBeNull()
  })

  it('asks again with doubling pauses from 200 ms, then says that nobody answers', async () => {
    const { events, read, manager } = scripted([new Error('down')])
    await settle()
    expect(read).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(200)
    expect(read).toHaveBeenCalledTimes(2)
    await vi.advanceTimersByTimeAsync(399)
    expect(read).toHaveBeenCalledTimes(2)
    await vi.advanceTimersByTimeAsync(1 + 800)
    expect(read).toHaveBeenCalledTimes(4)
    expect(events).toEqual(['unreachable'])
    expect(manager.session).toBeNull()
    // The pauses go on doubling, to half a minute.
    for (const pause of [1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]) {
      const before = read.mock.calls.length
      await vi.advanceTimersByTimeAsync(pause - 1)
      expect(read).toHaveBeenCalledTimes(before)
      await vi.advanceTimersByTimeAsync(1)
      expect(read).toHaveBeenCalledTimes(before + 1)
    }
    expect(events).toEqual(['unreachable'])
  })

  it('says so after five seconds on a line that hangs, and goes on waiting', async () => {
    let answer: (session: Session) => void = () => {}
    const read = () => new Promise<Session>((resolve) => (answer = resolve))
    const manager = managerOf(null, { read })
    const events: SessionEvent[] = []
    manager.subscribe((event) => events.push(event))
    onTestFinished(manager.start())
    await vi.advanceTimersByTimeAsync(4999)
    expect(events).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(events).toEqual(['unreachable'])
    answer(token(1))
    await settle()
    expect(events).toEqual(['unreachable', 'initial_session'])
  })

  it.each([
    ['somebody', token(1)],
    ['nobody', null],
  ])('knows by itself that %s is signed in once a dead server answers again', async (_, answer) => {
    const down = new Error('down')
    const { events, manager } = scripted([down, down, down, down, answer])
    await vi.advanceTimersByTimeAsync(TICK_MS)
    expect(events).toEqual(['unreachable', 'initial_session'])
    expect(manager.session).toEqual(answer)
  })

  it.each([
    ['the person asks for it', (manager: SessionManager) => void manager.retry()],
    ['the line is back', () => window.dispatchEvent(new Event('online'))],
    ['the window gets the focus', () => window.dispatchEvent(new Event('focus'))],
    ['the page is looked at', () => document.dispatchEvent(new Event('visibilitychange'))],
  ])('asks at once when %s', async (_, wake) => {
    const { read, events, manager } = scripted([new Error('down')])
    await vi.advanceTimersByTimeAsync(1400)
    expect(read).toHaveBeenCalledTimes(4)
    read.mockResolvedValueOnce(token(1))
    wake(manager)
    await settle()
    expect(read).toHaveBeenCalledTimes(5)
    expect(events).toEqual(['unreachable', 'initial_session'])
  })

  it('stays back once something else than its own row of tries has brought the answer', async () => {
    const { manager, read, events } = scripted([new Error('down')])
    await vi.advanceTimersByTimeAsync(3500)
    read.mockResolvedValueOnce(token(1))
    await manager.retry()
    await vi.advanceTimersByTimeAsync(3500)
    expect(events).toEqual(['unreachable', 'initial_session'])
    expect(manager.session?.access_token).toBe('token-1')
  })

  it('asks nobody while no hint says that somebody is signed in', async () => {
    const { read, events } = scripted([token(1)], aloneTab, false)
    await vi.advanceTimersByTimeAsync(4 * TICK_MS)
    expect(read).not.toHaveBeenCalled()
    expect(events).toEqual(['initial_session'])
  })

  it('looks again when the hint has changed while the page was away', async () => {
    const { expected, events } = scripted([token(1), null], aloneTab, false)
    window.dispatchEvent(new Event('focus'))
    expected.mockReturnValue(true)
    window.dispatchEvent(new Event('focus'))
    await settle()
    expect(events).toEqual(['initial_session', 'signed_in'])
    expected.mockReturnValue(false)
    window.dispatchEvent(new Event('focus'))
    await settle()
    expect(events).toEqual(['initial_session', 'signed_in', 'expired'])
  })

  it('goes on asking for a page that cannot go on without an answer', async () => {
    const { manager, read, events } = scripted([new Error('down'), null], aloneTab, false)
    await manager.retry()
    expect(events).toEqual(['initial_session', 'unreachable'])
    expect(read).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(200)
    expect(events).toEqual(['initial_session', 'unreachable', 'signed_out'])
  })

  describe('of a page that comes out of the back/forward cache', () => {
    const comeBack = () =>
      window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))

    it.each([
      ['is as it was', token(1), []],
      ['is over', null, ['expired']],
      ["is another person's", { ...token(2), user: { ...token(2).user, id: 'b' } }, ['signed_in']],
      ['cannot be asked for', new Error('down'), []],
    ])('%s', async (_, answer, news) => {
      const { read, events } = scripted([token(1), answer])
      await settle()
      comeBack()
      await settle()
      expect(read).toHaveBeenCalledTimes(2)
      expect(events).toEqual(['initial_session', ...news])
    })

    it('may have begun meanwhile', async () => {
      const { expected, events } = scripted([token(1)], aloneTab, false)
      comeBack()
      expect(events).toEqual(['initial_session'])
      expected.mockReturnValue(true)
      comeBack()
      await settle()
      expect(events).toEqual(['initial_session', 'signed_in'])
    })

    it('is over by the hint when the server does not answer', async () => {
      const { expected, events, manager } = scripted([token(1), new Error('down')])
      await settle()
      expected.mockReturnValue(false)
      comeBack()
      await settle()
      expect(events).toEqual(['initial_session', 'signed_out'])
      expect(manager.session).toBeNull()
    })

    it('is over by the hint after a second of silence, whatever the server says later', async () => {
      const { expected, events, read } = scripted([token(1)])
      await settle()
      let fail: (problem: Error) => void = () => {}
      read.mockReturnValue(new Promise((_, reject) => (fail = reject)))
      expected.mockReturnValue(false)
      comeBack()
      await vi.advanceTimersByTimeAsync(999)
      expect(events).toEqual(['initial_session'])
      await vi.advanceTimersByTimeAsync(1)
      expect(events).toEqual(['initial_session', 'signed_out'])
      fail(new Error('down'))
      await vi.advanceTimersByTimeAsync(TICK_MS)
      expect(events).toEqual(['initial_session', 'signed_out'])
    })

    it('may be one that nobody can tell of', async () => {
      const { expected, events } = scripted([new Error('down')], aloneTab, false)
      expected.mockReturnValue(true)
      comeBack()
      await settle()
      expect(events).toEqual(['initial_session', 'unreachable'])
    })
  })

  it('renews the token when three ticks are left, and not before', async () => {
    const { events, read } = scripted([token(1, 300), token(2)])
    await settle()
    await vi.advanceTimersByTimeAsync(5 * TICK_MS)
    expect(read).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(2 * TICK_MS)
    expect(read).toHaveBeenCalledTimes(2)
    expect(events).toEqual(['initial_session', 'token_refreshed'])
  })

  it('does not renew in a loop when the clock jumps', async () => {
    const { read } = scripted([token(1), token(2), token(3)])
    await settle()
    vi.setSystemTime(Date.now() + 3_600_000)
    await vi.advanceTimersByTimeAsync(4 * TICK_MS)
    expect(read).toHaveBeenCalledTimes(2)
  })

  it('asks again no sooner than the server wants, at most a tick later, and never at the same moment', async () => {
    const refused = (seconds: string) =>
      Object.assign(new Error('busy'), answerProblem(429, '', {}, seconds))
    const { read } = scripted([refused('10'), refused('3600'), token(1)])
    await settle()
    await vi.advanceTimersByTimeAsync(9_999)
    expect(read).toHaveBeenCalledTimes(1)
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    await vi.advanceTimersByTimeAsync(1)
    expect(read).toHaveBeenCalledTimes(2)
    await vi.advanceTimersByTimeAsync(1.05 * TICK_MS - 1)
    expect(read).toHaveBeenCalledTimes(2)
    await vi.advanceTimersByTimeAsync(1)
    expect(read).toHaveBeenCalledTimes(3)
  })

  it('names whose token it holds', async () => {
    const { manager } = scripted([token(1), null])
    await settle()
    expect(manager.tokens.owner()).toBe(token(1).user.id)
    await manager.read()
    expect(manager.tokens.owner()).toBeNull()
  })

  it('tells of the end when the server no longer knows the session', async () => {
    const { events, manager } = scripted([token(1, 60), null])
    await settle()
    await vi.advanceTimersByTimeAsync(TICK_MS)
    expect(events).toEqual(['initial_session', 'expired'])
    expect(manager.session).toBeNull()
  })

  it('ends the session of an account that is disabled, and says so', async () => {
    const { manager, events } = scripted([token(1), 'disabled', null])
    await settle()
    await manager.renew()
    expect(events).toEqual(['initial_session', 'expired'])
    expect([manager.session, manager.disabled]).toEqual([null, true])
    await manager.read()
    expect(manager.disabled).toBe(false)
  })

  it('keeps the session while the server cannot be asked', async () => {
    const { events, manager } = scripted([token(1, 60), new Error('down')])
    await settle()
    await vi.advanceTimersByTimeAsync(3 * TICK_MS)
    expect(events).toEqual(['initial_session'])
    expect(manager.session?.access_token).toBe('token-1')
  })

  it('tells of a changed user', async () => {
    const changed = { ...token(2), user: { ...token(2).user, app_metadata: { provider: 'apple' } } }
    const { events, manager } = scripted([token(1), changed])
    await settle()
    await manager.read()
    expect(events).toEqual(['initial_session', 'token_refreshed', 'user_updated'])
  })

  it('ends the session on the server before it forgets it', async () => {
    const { manager, end, events } = scripted([token(1)])
    await settle()
    await manager.signOut()
    expect(end).toHaveBeenCalledWith('token-1', 'device')
    expect(events).toEqual(['initial_session', 'signed_out'])
  })

  it('stays signed in when signing out fails', async () => {
    const { manager, end } = scripted([token(1)])
    await settle()
    end.mockRejectedValueOnce(new Error('down'))
    await expect(manager.signOut()).rejects.toThrow('down')
    expect(manager.session?.access_token).toBe('token-1')
  })

  it('asks once for callers that ask together', async () => {
    const { manager, read } = scripted([token(1)])
    await settle()
    await Promise.all([manager.renew(), manager.renew(), manager.renew()])
    expect(read).toHaveBeenCalledTimes(2)
  })

  it('writes nothing to storage', async () => {
    const { manager } = scripted([token(1)])
    await settle()
    await manager.read()
    expect({ ...localStorage, ...sessionStorage }).toEqual({})
  })

  it('asks in one row, however often it is woken', async () => {
    const { read } = scripted([token(1, 60), new Error('down')])
    await settle()
    await vi.advanceTimersByTimeAsync(TICK_MS)
    const before = read.mock.calls.length
    for (let n = 0; n < 5; n++) document.dispatchEvent(new Event('visibilitychange'))
    await vi.advanceTimersByTimeAsync(200)
    expect(read.mock.calls.length).toBe(before + 1)
  })

  it('ends its row of tries within the tick', async () => {
    const { read } = scripted([token(1, 60), new Error('down')])
    await settle()
    await vi.advanceTimersByTimeAsync(2 * TICK_MS - 1)
    // One reading on load, then tries after 0, 0.2, 0.6, 1.4, 3, 6.2, 12.6 and 25.4 seconds.
    expect(read).toHaveBeenCalledTimes(9)
    await vi.advanceTimersByTimeAsync(1)
    expect(read).toHaveBeenCalledTimes(10)
  })

  it('stops a row of tries when the page is left', async () => {
    const { read, stop } = scripted([token(1, 60), new Error('down')])
    await settle()
    await vi.advanceTimersByTimeAsync(TICK_MS)
    stop()
    const before = read.mock.calls.length
    await vi.advanceTimersByTimeAsync(TICK_MS)
    expect(read).toHaveBeenCalledTimes(before)
  })

  it('stays signed out when an older reading answers late', async () => {
    const { manager, read, events } = scripted([token(1)])
    await settle()
    let answer: (session: Session) => void = () => {}
    read.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)))
    const late = manager.read()
    await manager.signOut()
    answer(token(2))
    await expect(late).resolves.toBeNull()
    expect(manager.session).toBeNull()
    expect(events).toEqual(['initial_session', 'signed_out'])
  })

  it('stops asking when the page is left', async () => {
    const { read, stop } = scripted([token(1, 60)])
    await settle()
    stop()
    await vi.advanceTimersByTimeAsync(4 * TICK_MS)
    expect(read).toHaveBeenCalledTimes(1)
  })
})

describe('tabs', () => {
  it('share one renewal', async () => {
    const tab = browser()
    const first = scripted([token(1), token(2)], tab())
    await settle()
    const second = scripted([token(1), token(3)], tab())
    await settle()
    await Promise.all([first.manager.renew(), second.manager.renew()])
    expect(first.read.mock.calls.length + second.read.mock.calls.length).toBe(3)
    expect(second.manager.session?.access_token).toBe('token-2')
    expect(second.events).toEqual(['initial_session', 'token_refreshed'])
  })

  it('sign in and out together', async () => {
    const tab = browser()
    const waiting = scripted([null], tab())
    await settle()
    const arriving = scripted([token(1)], tab())
    await settle()
    expect(waiting.events).toEqual(['initial_session', 'signed_in'])
    await arriving.manager.signOut()
    expect(waiting.events).toEqual(['initial_session', 'signed_in', 'signed_out'])
  })

  it.each([
    ['the former person', token(1)],
    ['nobody', null],
  ])('stay with who has signed in elsewhere when an older reading tells of %s', async (_, old) => {
    const tab = browser()
    const other = aSession({ user: { ...token(1).user, id: 'somebody-else' } })
    const first = scripted([token(1)], tab())
    await settle()
    let answer: (session: Session | null) => void = () => {}
    first.read.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)))
    first.read.mockResolvedValue(other)
    const late = first.manager.read()
    const arriving = scripted([other], tab())
    await settle()
    answer(old)
    await expect(late).resolves.toEqual(other)
    expect(first.events).toEqual(['initial_session', 'signed_in'])
    expect(arriving.manager.session).toEqual(other)
  })

  it('hear what the person has changed of the account', async () => {
    const tab = browser()
    const [first, second] = [scripted([token(1)], tab()), scripted([token(1)], tab())]
    await settle()
    const user = { ...token(1).user, identities: [] }
    first.manager.updateUser({ ...user, id: 'somebody-else' })
    expect(first.manager.session).toEqual(token(1))
    first.manager.updateUser(user)
    for (const { manager, events } of [first, second]) {
      expect(events).toEqual(['initial_session', 'user_updated'])
      expect(manager.session).toEqual({ ...token(1), user })
    }
  })

  it('keep their tokens, and their people, when the account of another tab has changed', async () => {
    const tab = browser()
    const other = { ...token(1).user, id: 'somebody-else' }
    // As long as the sessions of the others have not arrived.
    const late = () => {
      const link = tab()
      return { ...link, broadcast: (news: TabNews) => isAccountNews(news) && link.broadcast(news) }
    }
    const tabs = [token(1), token(2), aSession({ user: other })].map((session) =>
      scripted([session], late()),
    )
    await settle()
    const user = { ...token(1).user, identities: [] }
    tabs[0]?.manager.updateUser(user)
    expect(tabs.map(({ manager: { session } }) => [session?.access_token, session?.user])).toEqual([
      ['token-1', user],
      ['token-2', user],
      ['token-1', other],
    ])
    expect(tabs[2]?.events).toEqual(['initial_session'])
  })

  it('hear that the server has ended the session', async () => {
    const tab = browser()
    const first = scripted([token(1)], tab())
    await settle()
    // Opened later, it is the one that finds out.
    scripted([null], tab())
    await settle()
    expect(first.events).toEqual(['initial_session', 'expired'])
    expect(first.manager.session).toBeNull()
  })
})

describe('20 tabs', () => {
  const COUNT = 20

  /** Tabs over one server, which answers after a while and knows who is signed in. */
  async function twenty(delay: number) {
    const tab = browser(delay)
    let minted = 0
    let asked = 0
    let live = true
    const at = { once: 0, most: 0 }
    const source = {
      expected: () => true,
      async read() {
        asked += 1
        at.most = Math.max(at.most, ++at.once)
        await new Promise((resolve) => setTimeout(resolve, 50))
        at.once -= 1
        return live ? token(++minted, 300) : null
      },
      end: vi.fn(async () => {
        live = false
      }),
    }
    const tabs = Array.from({ length: COUNT }, () => {
      const manager = new SessionManager(source, tab())
      const events: SessionEvent[] = []
      manager.subscribe((event) => events.push(event))
      manager.start()
      return { manager, events }
    })
    await vi.advanceTimersByTimeAsync(1000)
    /** Forgets what happened so far, and returns what has happened since. */
    const since = () => {
      asked = 0
      at.most = 0
      for (const { events } of tabs) events.length = 0
      return { asked: () => asked, atOnce: () => at.most }
    }
    const held = () => new Set(tabs.map(({ manager }) => manager.session?.access_token ?? null))
    return { tabs, source, since, held }
  }

  it.each([0, 5, 100])('renew once when their token ends (news take %d ms)', async (delay) => {
    const { tabs, since, held } = await twenty(delay)
    const { asked, atOnce } = since()
    await vi.advanceTimersByTimeAsync(7 * TICK_MS)
    expect(asked()).toBe(1)
    expect(atOnce()).toBe(1)
    expect(held().size).toBe(1)
    for (const { events } of tabs) expect(events).toEqual(['token_refreshed'])
  })

  it('renew once when the server refuses the token in all of them together', async () => {
    const { tabs, since, held } = await twenty(5)
    await Promise.all([tabs[0]?.manager.renew(), vi.advanceTimersByTimeAsync(100)])
    const spent = tabs[0]?.manager.session?.access_token ?? ''
    const { asked } = since()
    const renewals = tabs.map(({ manager }) => manager.tokens.renew(spent))
    await vi.advanceTimersByTimeAsync(1000)
    expect(new Set(await Promise.all(renewals))).toEqual(held())
    expect(held().size).toBe(1)
    expect(asked()).toBe(1)
  })

  it('take turns when nothing can be renewed, and stay signed in', async () => {
    const { tabs, source, since } = await twenty(5)
    const { asked } = since()
    const read = vi.spyOn(source, 'read').mockRejectedValue(new Error('down'))
    const renewals = tabs.map(({ manager }) => manager.renew().catch(() => 'failed'))
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await Promise.all(renewals)).toEqual(Array(COUNT).fill('failed'))
    expect(read).toHaveBeenCalledTimes(COUNT)
    expect(asked()).toBe(0)
    for (const { manager, events } of tabs) {
      expect(manager.session).not.toBeNull()
      expect(events).toEqual([])
    }
  })

  it.each(['device', 'all'] as const)(
    'sign out with the one that does (scope %s)',
    async (scope) => {
      const { tabs, source, since, held } = await twenty(5)
      const { asked } = since()
      await tabs[7]?.manager.signOut(scope)
      await vi.advanceTimersByTimeAsync(5)
      expect(source.end).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^token-/), scope)
      expect([...held()]).toEqual([null])
      for (const { events } of tabs) expect(events).toEqual(['signed_out'])
      await vi.advanceTimersByTimeAsync(4 * TICK_MS)
      expect(asked()).toBe(0)
    },
  )
})

describe('a deletion of the account', () => {
  const news = (tabs: TabLink, heard: TabNews[]) => tabs.subscribe((told) => heard.push(told))

  it('that was taken back is told once, in this tab alone', async () => {
    const join = browser()
    const heard: TabNews[] = []
    news(join(), heard)
    const answer = { ...token(1), deletionTakenBack: true }
    const { manager, events } = scripted([answer, token(1)], join())
    await settle()
    expect(events).toEqual(['initial_session', 'deletion_taken_back'])
    expect(manager.session).toEqual(token(1))
    expect(heard).toEqual([expect.objectContaining({ session: token(1) })])
    await manager.read()
    expect(events).toHaveLength(2)
  })

  it('ends the session in every tab, without asking the server', async () => {
    const join = browser()
    const heard: TabNews[] = []
    news(join(), heard)
    const { manager, events, end } = scripted([token(1)], join())
    await settle()
    manager.ended()
    expect(manager.session).toBeNull()
    expect(events).toEqual(['initial_session', 'signed_out'])
    expect(heard.at(-1)).toBeNull()
    expect(end).not.toHaveBeenCalled()
  })
})
