import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Wave, WaveStart } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { failure, offline, onGet, onPost } from '@/testing/server'
import { anEntry, idOf, renderView, serveWaitlist } from '../testing'
import { isShown, progressText } from './wave-words'
import { WaitlistView } from './waitlist-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))

const aWave = (overrides: Partial<Wave> = {}): Wave => ({
  id: idOf(900),
  search: '',
  source: null,
  joinedBefore: '2025-08-27T10:30:00Z',
  people: 0,
  startsAt: '2025-08-27T10:30:00Z',
  perMinute: 0,
  state: 'running',
  total: 1248,
  approved: 120,
  undone: 0,
  failures: [],
  undoUntil: null,
  startedBy: 'admin@fledge.test',
  createdAt: '2025-08-27T10:30:00Z',
  changedAt: new Date().toISOString(),
  starterLostRole: false,
  channel: null,
  ...overrides,
})

const soon = () => new Date(Date.now() + 50_000).toISOString()

beforeEach(() => {
  visit('/admin')
  serveWaitlist(() => [anEntry(1)])
})

describe('approving many in the background', () => {
  const openDialog = async () => {
    await userEvent.click(await screen.findByRole('button', { name: 'Approve many' }))
    return within(await screen.findByRole('dialog', { name: 'Approve many' }))
  }

  it('counts who matches, and starts what was counted', async () => {
    visit('/admin?search=example')
    const asked: unknown[] = []
    let waves: Wave[] = []
    onGet('/api/get-waves', () => ({ data: waves }))
    onPost('/api/start-wave', ({ body }) => {
      asked.push(body)
      const { preview, people, channel = null } = body as WaveStart
      const wave = aWave({ total: people ?? 1248, approved: 0, channel })
      if (!preview) waves = [wave]
      return wave
    })
    const { container } = renderView(WaitlistView)
    const dialog = await openDialog()
    expect(await dialog.findByText(/^1,248 people will be approved/)).toBeVisible()
    await userEvent.type(dialog.getByLabelText('How many'), '100')
    await userEvent.selectOptions(dialog.getByLabelText('Source'), 'Imported')
    await userEvent.type(dialog.getByLabelText(/^At most a minute/), '60')
    await userEvent.selectOptions(dialog.getByLabelText('Update channel'), 'beta')
    expect(await dialog.findByText(/^100 people will be approved/)).toBeVisible()
    expect(await violations(container)).toEqual([])
    await userEvent.click(dialog.getByRole('button', { name: 'Approve 100 people' }))
    const wave = await screen.findByRole('group', { name: 'Approving: 0 of 100 people' })
    expect(within(wave).getByText('Update channel: beta.')).toBeVisible()
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
    const started = {
      people: 100,
      search: 'example',
      source: 'import',
      perMinute: 60,
      channel: 'beta',
    }
    expect(asked.at(-1)).toEqual({ waveId: expect.any(String) as string, ...started })
    // Nothing was started before, and what was started is what was counted last.
    expect(asked.slice(0, -1)).not.toContainEqual(expect.not.objectContaining({ preview: true }))
    expect(asked.at(-2)).toMatchObject({ ...started, preview: true })
  })

  it('approves a share instead of a number', async () => {
    const asked: unknown[] = []
    onPost('/api/start-wave', ({ body }) => {
      asked.push(body)
      return aWave({ total: 312, approved: 0 })
    })
    renderView(WaitlistView)
    const dialog = await openDialog()
    await userEvent.type(dialog.getByLabelText('How many'), '100')
    await userEvent.type(dialog.getByLabelText('Or a share, in percent'), '25')
    expect(dialog.getByLabelText('How many')).toHaveValue(null)
    await userEvent.selectOptions(dialog.getByLabelText('Source'), 'Imported')
    await userEvent.click(await dialog.findByRole('button', { name: 'Approve 312 people' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    expect(asked.at(-1)).toEqual({
      waveId: expect.any(String) as string,
      percent: 25,
      source: 'import',
    })
  })

  it('leads from all that are shown to all who match', async () => {
    visit('/admin?search=fledge')
    const asked: unknown[] = []
    serveWaitlist(() => [anEntry(1), anEntry(2)], 1)
    onPost('/api/start-wave', ({ body }) => {
      asked.push(body)
      return aWave({ total: 1248, approved: 0 })
    })
    renderView(WaitlistView)
    const every = await screen.findByRole('checkbox', { name: 'Select all pending entries shown' })
    await waitFor(() => expect(every).toBeEnabled())
    await userEvent.click(every)
    const all = await screen.findByRole('button', { name: 'Approve all 1,248 who match' })
    expect(asked).toEqual([
      { waveId: expect.any(String) as string, search: 'fledge', preview: true },
    ])
    await userEvent.click(all)
    const dialog = within(await screen.findByRole('dialog', { name: 'Approve many' }))
    expect(dialog.getByLabelText('Email contains')).toHaveValue('fledge')
    expect(await dialog.findByRole('button', { name: 'Approve 1,248 people' })).toBeVisible()
  })

  it.each([
    [/^Start at/, '202609-12-01T09:00', 'startsAt'],
    [/^Joined before/, '202609-12-01', 'joinedBefore'],
  ] as const)('starts nothing with what is no time: %s', async (label, typed, name) => {
    const asked: WaveStart[] = []
    onPost('/api/start-wave', ({ body }) => {
      asked.push(body as WaveStart)
      return asked.at(-1)?.[name] ? failure(400, 'That is no time.') : aWave()
    })
    renderView(WaitlistView)
    const dialog = await openDialog()
    await dialog.findByRole('button', { name: 'Approve 1,248 people' })
    const field = dialog.getByLabelText(label)
    // The tests' document keeps no such value in a field of this type, as a browser without a maximum does.
    field.setAttribute('type', 'text')
    fireEvent.change(field, { target: { value: typed } })
    expect(await dialog.findByRole('alert')).toHaveTextContent('That is no time.')
    expect(dialog.getByRole('button', { name: 'Approve' })).toBeDisabled()
    expect(asked.map(({ preview }) => preview)).toEqual([true, true])
    expect(field).toHaveAttribute('max', expect.stringMatching(/^9999-12-31/))
  })

  it('starts another one when what is asked for changes after a failure', async () => {
    const ids: unknown[] = []
    onPost('/api/start-wave', ({ body }) => {
      const { preview, waveId } = body as { preview?: boolean; waveId: string }
      if (preview) return aWave()
      ids.push(waveId)
      return failure(503, 'Not now.')
    })
    renderView(WaitlistView)
    const dialog = await openDialog()
    const start = async () => {
      await userEvent.click(await dialog.findByRole('button', { name: 'Approve 1,248 people' }))
      await dialog.findByText('Not now.')
    }
    await start()
    await start()
    await userEvent.type(dialog.getByLabelText(/^At most a minute/), '6')
    await start()
    expect(ids[1]).toBe(ids[0])
    expect(ids[2]).not.toBe(ids[0])
  })

  it('is there again after a sign-in, and starts no second one if the first has started', async () => {
    const ids: unknown[] = []
    onPost('/api/start-wave', ({ body }) => {
      const { preview, waveId } = body as { preview?: boolean; waveId: string }
      if (preview) return aWave()
      ids.push(waveId)
      return offline()
    })
    const press = async () => {
      const dialog = within(await screen.findByRole('dialog', { name: 'Approve many' }))
      await userEvent.click(await dialog.findByRole('button', { name: 'Approve 1,248 people' }))
      await dialog.findByRole('alert')
      return dialog
    }
    const { unmount } = renderView(WaitlistView)
    await userEvent.type((await openDialog()).getByLabelText(/^At most a minute/), '6')
    await press()
    unmount()
    renderView(WaitlistView)
    const dialog = await press()
    expect(dialog.getByLabelText(/^At most a minute/)).toHaveValue(6)
    expect(ids[1]).toBe(ids[0])
    await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }))
    expect((await openDialog()).getByLabelText(/^At most a minute/)).toHaveValue(null)
  })

  it('starts nothing when nobody matches, and says what is wrong', async () => {
    onPost('/api/start-wave', ({ body }) => {
      const { search } = body as { search?: string }
      return search === 'bad' ? failure(400, 'The search is bad.') : aWave({ total: 0 })
    })
    renderView(WaitlistView)
    const dialog = await openDialog()
    expect(await dialog.findByText(/^Nobody who can be approved matches\./)).toBeVisible()
    expect(dialog.getByRole('button', { name: 'Approve' })).toBeDisabled()
    await userEvent.type(dialog.getByLabelText('Email contains'), 'bad')
    expect(await dialog.findByRole('alert')).toHaveTextContent('The search is bad.')
  })

  it('shows how far it is, also after a reload, and can be paused and stopped', async () => {
    let wave = aWave()
    onGet('/api/get-waves', () => ({ data: [wave] }))
    const actions: unknown[] = []
    onPost('/api/change-wave', ({ body }) => {
      const { action } = body as { action: string }
      actions.push(action)
      wave = { ...wave, state: action === 'pause' ? 'paused' : 'cancelled' }
      return wave
    })
    const { container } = renderView(WaitlistView)
    const group = await screen.findByRole('group', { name: 'Approving: 120 of 1,248 people' })
    expect(within(group).getByRole('progressbar')).toHaveAttribute('value', '120')
    expect(within(group).getByRole('status')).toHaveTextContent(/^Approving$/)
    expect(await violations(container)).toEqual([])
    await userEvent.click(within(group).getByRole('button', { name: 'Pause' }))
    const resume = await screen.findByRole('button', { name: 'Resume' })
    expect(resume).toHaveFocus()
    expect(within(group).getByRole('status')).toHaveTextContent(/^Approving is paused/)
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    await waitFor(() => expect(screen.queryByRole('progressbar')).not.toBeInTheDocument())
    expect(actions).toEqual(['pause', 'cancel'])
    expect(screen.getByRole('group', { name: /^Approving was stopped/ })).toHaveFocus()
  })

  it('can be undone while its emails wait, and the list shows it', async () => {
    let wave = aWave({ state: 'done', approved: 1248, undoUntil: soon() })
    let status: 'approved' | 'pending' = 'approved'
    serveWaitlist(() => [anEntry(1, status)])
    onGet('/api/get-waves', () => ({ data: [wave] }))
    onPost('/api/change-wave', ({ body }) => {
      expect(body).toEqual({ waveId: wave.id, action: 'undo' })
      status = 'pending'
      wave = { ...wave, undone: 1248, undoUntil: null }
      return wave
    })
    renderView(WaitlistView)
    expect(await screen.findByText('Emails are sent a minute after each approval.')).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Undo the last minute' }))
    expect(await screen.findByText('1,248 people pending again')).toBeVisible()
    expect(await screen.findByText('1,248 people undone.')).toBeVisible()
    expect(await screen.findByRole('button', { name: /^Approve person-1/ })).toBeVisible()
  })

  it('takes the update channel back after asking, also long after its end', async () => {
    let wave = aWave({
      state: 'done',
      approved: 1248,
      channel: 'beta',
      changedAt: '2025-08-27T10:30:00Z',
    })
    const asked: unknown[] = []
    onGet('/api/get-waves', () => ({ data: [wave] }))
    onPost('/api/change-wave', ({ body }) => {
      asked.push(body)
      wave = { ...wave, channel: null, changedAt: new Date().toISOString() }
      return wave
    })
    renderView(WaitlistView)
    await userEvent.click(await screen.findByRole('button', { name: 'Take the channel back' }))
    const dialog = within(await screen.findByRole('alertdialog', { name: 'Take beta back?' }))
    expect(dialog.getByText(/^1,248 people will follow the stable releases/)).toBeVisible()
    expect(asked).toEqual([])
    await userEvent.click(dialog.getByRole('button', { name: 'Take the channel back' }))
    await waitFor(() => expect(screen.queryByText('Update channel: beta.')).not.toBeInTheDocument())
    expect(asked).toEqual([{ waveId: wave.id, action: 'drop_channel' }])
    expect(screen.queryByRole('button', { name: 'Take the channel back' })).not.toBeInTheDocument()
    expect(isShown(wave, Date.now() + 600_000)).toBe(false)
  })

  it('names only those who could not be approved', async () => {
    const failures = [{ id: idOf(7), email: 'person-7@fledge.test' }]
    const wave = aWave({ state: 'done', approved: 1247, failures })
    onGet('/api/get-waves', () => ({ data: [wave] }))
    renderView(WaitlistView)
    const region = await screen.findByRole('region', { name: 'Not approved' })
    expect(within(region).getAllByRole('listitem')).toHaveLength(1)
    expect(region).toHaveTextContent('person-7@fledge.test could not be approved')
  })

  it('says why a change failed', async () => {
    onGet('/api/get-waves', () => ({ data: [aWave()] }))
    onPost('/api/change-wave', () => failure(409, 'These approvals have ended already.'))
    renderView(WaitlistView)
    await userEvent.click(await screen.findByRole('button', { name: 'Pause' }))
    expect(await screen.findByText('These approvals have ended already.')).toBeVisible()
  })

  it('says that what is under way could not be loaded, until it is', async () => {
    onGet('/api/get-waves', () => failure(403, ''))
    renderView(WaitlistView)
    expect(await screen.findByText('The approvals under way could not be loaded.')).toBeVisible()
    onGet('/api/get-waves', () => ({ data: [aWave()] }))
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(
      await screen.findByRole('group', { name: 'Approving: 120 of 1,248 people' }),
    ).toBeVisible()
    expect(screen.queryByText('The approvals under way could not be loaded.')).toBeNull()
  })

  it('is for admins', async () => {
    onGet('/api/get-waves', () => failure(403, 'No.'))
    renderView(WaitlistView, 'moderator')
    await screen.findByText('1 entry')
    expect(screen.queryByRole('button', { name: 'Approve many' })).not.toBeInTheDocument()
  })
})

describe('the words of a wave', () => {
  it.each([
    [{ state: 'running', perMinute: 60 }, 'Approving: 120 of 1,248 people, at most 60 a minute'],
    [{ state: 'paused' }, 'Approving is paused: 120 of 1,248 people'],
    [
      { state: 'paused', starterLostRole: true },
      'Approving is paused, because admin@fledge.test is no admin any more: 120 of 1,248 people',
    ],
    [{ state: 'cancelled' }, 'Approving was stopped: 120 of 1,248 people approved'],
    [{ state: 'done', total: 1, approved: 1 }, '1 of 1 person approved'],
  ] as const)('%j', (wave, text) => {
    expect(progressText(aWave(wave))).toBe(text)
  })

  it('tell of a scheduled one when it begins', () => {
    // The same day from Honolulu to Auckland.
    const startsAt = '2025-08-27T10:30:00Z'
    expect(progressText(aWave({ state: 'scheduled', startsAt }))).toMatch(
      /^1,248 people will be approved from Aug 27, 2025 \d\d:\d\d$/,
    )
  })

  it('end ten minutes after its last change, also one that has undone all', () => {
    const changedAt = '2025-08-27T10:30:00Z'
    const wave = aWave({ state: 'cancelled', undoUntil: null, changedAt })
    expect(isShown(wave, Date.parse(changedAt) + 599_000)).toBe(true)
    expect(isShown(wave, Date.parse(changedAt) + 600_000)).toBe(false)
  })
})
