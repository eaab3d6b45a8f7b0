import { beforeEach, describe, expect, it, vi } from 'vitest'
import { api } from '@/lib/api/api'
import { deskApi } from '@/lib/api/desk-api'
import { devicesApi } from '@/lib/api/devices-api'
import { identityApi } from '@/lib/api/identity-api'
import { personApi } from '@/lib/api/person-api'
import { releasesApi } from '@/lib/api/releases-api'
import { supportApi, type TicketFilter } from '@/lib/api/support-api'
import type { Device, PreviewLink, Release, TicketEdit, Wave } from '@/lib/api/types'
import { staffRoleApi } from '@/lib/api/staff-role-api'
import { waitlistApi } from '@/lib/api/waitlist-api'
import { waveApi } from '@/lib/api/wave-api'
import { type AppStore, makeStore } from '@/store/store'
import { onGet, onPost, onPut, server } from '@/testing/server'
import { anEntry, aTicket, aUser, idOf, serveTickets, serveUsers, serveWaitlist } from './testing'

// An action on one row updates that row, and asks the server for nothing else, except where the specification has the
// list load again: that is one page of it, however many are shown.

let asked: string[]
let store: AppStore

beforeEach(() => {
  asked = []
  server.events.removeAllListeners()
  server.events.on('request:start', ({ request }) => {
    asked.push(new URL(request.url).pathname.replace('/api/', ''))
  })
  store = makeStore({ current: () => 'token-1', owner: () => 'jane', renew: async () => null })
})

/** The requests of an action and of what follows from it, while what was loaded before is still shown. */
async function requestsOf(action: () => PromiseLike<{ error?: unknown }>): Promise<string[]> {
  asked = []
  expect(await action()).not.toHaveProperty('error')
  // Whatever follows has been asked for by the time that this is answered.
  await store.dispatch(staffRoleApi.endpoints.getStaffRole.initiate())
  await Promise.all(store.dispatch(api.util.getRunningQueriesThunk()))
  return asked.filter((path) => path !== 'is-admin')
}

describe('the waitlist', () => {
  it('updates one of 5,000 loaded entries, and reads the first page again', async () => {
    const entries = Array.from({ length: 5000 }, (_, n) => anEntry(n + 1))
    serveWaitlist(() => entries, 1000)
    onPost('/api/approve-waitlist-user', () => {
      entries[4320] = { ...anEntry(4321, 'approved'), mail: 'waiting' }
      return { message: 'Approved' }
    })
    const shown = { status: '', search: '' } as const
    const { getWaitlistUsers, decideWaitlistUser } = waitlistApi.endpoints
    await store.dispatch(getWaitlistUsers.initiate(shown))
    for (let pages = 1; pages < 5; pages += 1) {
      await store.dispatch(getWaitlistUsers.initiate(shown, { direction: 'forward' }))
    }
    const loaded = () =>
      getWaitlistUsers
        .select(shown)(store.getState())
        .data?.pages.flatMap(({ data }) => data)
    expect(loaded()).toHaveLength(5000)

    const decision = { waitlistUserId: idOf(4321), action: 'approve', shown } as const
    expect(await requestsOf(() => store.dispatch(decideWaitlistUser.initiate(decision)))).toEqual([
      'approve-waitlist-user',
      'get-waitlist-users',
    ])
    expect(loaded()).toEqual(entries)
  })

  it('updates a wave of approvals', async () => {
    const running = { state: 'running', total: 9, approved: 1, undone: 0, failures: [] }
    const waves = [1, 2].map((n) => ({ ...running, id: idOf(n) }) as unknown as Wave)
    onGet('/api/get-waves', () => ({ data: waves }))
    onPost('/api/change-wave', () => ({ ...waves[1], state: 'paused' }) as Wave)
    const { getWaves, changeWave } = waveApi.endpoints
    await store.dispatch(getWaves.initiate())
    const change = { waveId: idOf(2), action: 'pause' } as const
    expect(await requestsOf(() => store.dispatch(changeWave.initiate(change)))).toEqual([
      'change-wave',
    ])
    const states = getWaves
      .select()(store.getState())
      .data?.map(({ state }) => state)
    expect(states).toEqual(['running', 'paused'])
  })
})

it('the accounts and the page of one have the roles that were set', async () => {
  serveUsers(() => [aUser(1), aUser(2), aUser(3)], 2)
  onGet('/api/get-person', () => aUser(2))
  onPost('/api/set-user-roles', () => ({ message: 'Done', data: aUser(2, ['user', 'moderator']) }))
  const all = { role: '', search: '' } as const
  const { getUsers, getPerson, setUserRoles } = identityApi.endpoints
  await store.dispatch(getUsers.initiate(all))
  await store.dispatch(getUsers.initiate(all, { direction: 'forward' }))
  await store.dispatch(getPerson.initiate(aUser(2).email))
  const change = { userId: idOf(2), roles: ['user' as const, 'moderator' as const], reason: 'help' }
  expect(await requestsOf(() => store.dispatch(setUserRoles.initiate(change)))).toEqual([
    'set-user-roles',
  ])
  const pages = getUsers.select(all)(store.getState()).data?.pages
  expect(pages?.flatMap(({ data }) => data)[1]).toEqual(aUser(2, ['user', 'moderator']))
  const person = getPerson.select(aUser(2).email)(store.getState()).data
  expect(person).toEqual(aUser(2, ['user', 'moderator']))
})

it.each([
  ['set-person-state', 'disabled'],
  ['delete-person', 'deleting'],
] as const)('the accounts and the page of one have the state after %s', async (path, state) => {
  const { getUsers, getPerson } = identityApi.endpoints
  const { setPersonState, deletePerson } = personApi.endpoints
  const now = { ...aUser(2), state }
  serveUsers(() => [aUser(1), aUser(2)], 2)
  onGet('/api/get-person', () => aUser(2))
  onPost(`/api/${path}`, () => now)
  const all = { role: '', search: '' } as const
  await store.dispatch(getUsers.initiate(all))
  await store.dispatch(getPerson.initiate(idOf(2)))
  const action = { userId: idOf(2), reason: 'spam' }
  expect(
    await requestsOf(() =>
      state === 'deleting'
        ? store.dispatch(deletePerson.initiate(action))
        : store.dispatch(setPersonState.initiate({ ...action, state })),
    ),
  ).toEqual([path])
  const pages = getUsers.select(all)(store.getState()).data?.pages
  expect(pages?.flatMap(({ data }) => data)).toEqual([aUser(1), now])
  expect(getPerson.select(idOf(2))(store.getState()).data).toEqual(now)
})

describe('the tickets', () => {
  const page = { status: '', category: '', priority: '', search: '', page: 1 } as const
  const { getTickets, getPersonTickets, getWaiting, updateTicket } = supportApi.endpoints
  const { editTicket } = deskApi.endpoints
  let tickets = [aTicket(1), aTicket(2)]
  const load = async () => {
    tickets = [aTicket(1), aTicket(2)]
    serveTickets(() => tickets)
    onGet('/api/get-support-desk', () => ({ staff: [], answers: [], notices: 'off' as const }))
    await store.dispatch(getTickets.initiate(page))
    await store.dispatch(deskApi.endpoints.getDesk.initiate())
    await store.dispatch(getWaiting.initiate())
    await store.dispatch(getPersonTickets.initiate(aTicket(2).user_email))
  }
  const shown = () => getTickets.select(page)(store.getState()).data?.data

  it('have the priority that was set', async () => {
    await load()
    const urgent = aTicket(2, { priority: 'urgent', version: 2 })
    onPost('/api/edit-support-ticket', () => ({ data: urgent }))
    const edit = { ticketId: idOf(2), priority: 'urgent' } as const
    expect(await requestsOf(() => store.dispatch(editTicket.initiate(edit)))).toEqual([
      'edit-support-ticket',
    ])
    expect(shown()).toEqual([aTicket(1), urgent])
  })

  it('have nothing left that the answer leaves out', async () => {
    await load()
    tickets = [aTicket(1), aTicket(2, { user_state: 'disabled' })]
    await store.dispatch(getTickets.initiate(page, { forceRefetch: true }))
    expect(shown()).toEqual(tickets)
    onPost('/api/edit-support-ticket', () => ({ data: aTicket(2, { version: 2 }) }))
    await store.dispatch(editTicket.initiate({ ticketId: idOf(2), tags: [] }))
    expect(shown()).toEqual([aTicket(1), aTicket(2, { version: 2 })])
  })

  it.each<[Partial<TicketFilter>, Partial<TicketEdit>]>([
    [{ priority: 'medium' }, { priority: 'urgent' }],
    [{ category: 'technical_support' }, { category: 'billing' }],
    [{ tag: 'ios' }, { tags: [] }],
    [{ queue: 'mine' }, { assigneeId: '' }],
  ])('load a list again by %j after the edit %j', async (filter, edit) => {
    await load()
    const filtered = { ...page, ...filter }
    await store.dispatch(getTickets.initiate(filtered))
    onPost('/api/edit-support-ticket', () => {
      tickets = [aTicket(1)]
      return { data: aTicket(2, { version: 2 }) }
    })
    const change = { ticketId: idOf(2), ...edit }
    expect(await requestsOf(() => store.dispatch(editTicket.initiate(change)))).toEqual([
      'edit-support-ticket',
      'get-support-tickets',
    ])
    expect(getTickets.select(filtered)(store.getState()).data?.data).toEqual([aTicket(1)])
  })

  it('keep the newer of two answers that come out of order', async () => {
    await load()
    const newer = aTicket(2, { priority: 'urgent', version: 3 })
    const answers = [newer, aTicket(2, { priority: 'low', version: 2 })]
    onPost('/api/edit-support-ticket', () => ({ data: answers.shift() ?? newer }))
    await store.dispatch(editTicket.initiate({ ticketId: idOf(2), priority: 'urgent' }))
    await store.dispatch(editTicket.initiate({ ticketId: idOf(2), priority: 'low' }))
    expect(answers).toEqual([])
    expect(shown()).toEqual([aTicket(1), newer])
  })

  it('show the newest edit, and all of them, when their answers come out of order', async () => {
    await load()
    const { getTicket } = supportApi.endpoints
    await store.dispatch(getTicket.initiate(idOf(2)))
    const answers = [4, 2, 3].map((version) =>
      aTicket(2, { priority: version === 4 ? 'urgent' : 'low', version }),
    )
    onPost('/api/edit-support-ticket', () => ({ data: answers.shift()! }))
    for (const version of [1, 2, 4]) {
      await store.dispatch(editTicket.initiate({ ticketId: idOf(2), priority: 'low' }))
      const ticket = getTicket.select(idOf(2))(store.getState()).data
      expect(ticket).toMatchObject({ priority: 'urgent', version })
    }
  })

  it('keep an edit when the list is answered late with what was before', async () => {
    await load()
    let release = () => {}
    const late = new Promise<void>((resolve) => {
      release = resolve
    })
    const before = { page: 1, limit: 50, total: 2, totalPages: 1 }
    onGet('/api/get-support-tickets', async () => {
      await late
      return { data: [aTicket(1), aTicket(2)], pagination: before }
    })
    const loading = store.dispatch(getTickets.initiate(page, { forceRefetch: true }))
    const urgent = aTicket(2, { priority: 'urgent', version: 2 })
    onPost('/api/edit-support-ticket', () => ({ data: urgent }))
    await store.dispatch(editTicket.initiate({ ticketId: idOf(2), priority: 'urgent' }))
    expect(shown()).toEqual([aTicket(1), urgent])
    release()
    await loading
    await vi.waitFor(() => expect(shown()).toEqual([aTicket(1), urgent]))
  })

  it('load their page again after an answer', async () => {
    await load()
    onPut('/api/update-support-ticket', () => {
      tickets = [aTicket(1), aTicket(2, { status: 'closed', version: 2 })]
      return { data: aTicket(2, { status: 'closed', version: 2 }) }
    })
    const update = { ticketId: idOf(2), version: 1, status: 'closed' } as const
    expect(await requestsOf(() => store.dispatch(updateTicket.initiate(update)))).toEqual([
      'update-support-ticket',
      // The page, and how many wait.
      'get-support-tickets',
      'get-support-tickets',
    ])
    expect(shown()).toEqual(tickets)
  })
})

describe('the releases', () => {
  const release = { id: 2, version: '1.2.0', downloadCount: 0, isAvailable: false } as Release

  it('have the availability that was set', async () => {
    const other = { ...release, id: 1, version: '1.1.0' }
    onGet('/api/get-github-releases', () => ({ releases: [release, other], lastCheck: null }))
    onPost('/api/toggle-release-availability', () => ({ message: 'Done' }))
    const { getReleases, setReleaseAvailability } = releasesApi.endpoints
    await store.dispatch(getReleases.initiate())
    const change = { release, isAvailable: true }
    expect(await requestsOf(() => store.dispatch(setReleaseAvailability.initiate(change)))).toEqual(
      ['toggle-release-availability'],
    )
    const list = getReleases.select()(store.getState()).data?.releases
    expect(list?.map(({ isAvailable }) => isAvailable)).toEqual([true, false])
  })

  it('have no preview link that was revoked', async () => {
    const links = [1, 2].map((id): PreviewLink => ({
      id,
      createdAt: '2025-09-01T12:00:00Z',
      endsAt: '2025-09-08T12:00:00Z',
    }))
    onGet('/api/get-preview-links', () => ({ links }))
    onPost('/api/revoke-preview-link', () => ({ message: 'Done' }))
    const { getPreviewLinks, revokePreviewLink } = releasesApi.endpoints
    await store.dispatch(getPreviewLinks.initiate(release.version))
    const revoked = { release, linkId: 1 }
    expect(await requestsOf(() => store.dispatch(revokePreviewLink.initiate(revoked)))).toEqual([
      'revoke-preview-link',
    ])
    const list = getPreviewLinks.select(release.version)(store.getState()).data?.links
    expect(list?.map(({ id }) => id)).toEqual([2])
  })
})

it('the devices are without the one that was signed out', async () => {
  const devices = [1, 2].map((n) => ({
    id: idOf(n),
    kind: 'browser',
    name: `Browser ${n}`,
    user_agent: '',
    ip_address: null,
    last_active_at: '2025-09-01T12:00:00Z',
    current: n === 1,
  }))
  onGet('/api/auth/devices', () => ({ data: devices as unknown as Device[] }))
  onPost('/api/auth/revoke-device', () => new Response(null, { status: 204 }))
  const { getDevices, revokeDevice } = devicesApi.endpoints
  await store.dispatch(getDevices.initiate())
  expect(await requestsOf(() => store.dispatch(revokeDevice.initiate(idOf(2))))).toEqual([
    'auth/revoke-device',
  ])
  expect(
    getDevices
      .select()(store.getState())
      .data?.map(({ id }) => id),
  ).toEqual([idOf(1)])
})
