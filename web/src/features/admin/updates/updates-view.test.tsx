import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Channel, DownloadStats, Release, VersionUsage } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { failure, offline, onGet, onPost } from '@/testing/server'
import { renderView } from '../testing'
import { UpdatesView } from './updates-view'

const releases: Release[] = [
  {
    id: 2,
    name: 'Fledge 1.10.0',
    version: '1.10.0',
    channel: 'stable',
    chosenChannel: null,
    publishedAt: '2025-09-01T10:30:00Z',
    downloadCount: 0,
    siteDownloadCount: 0,
    isAvailable: false,
    rolloutPercentage: 100,
    nextPercentage: null,
    nextPercentageAt: null,
    replacedAt: null,
    promotedAt: null,
    updateProblem: null,
    isRequired: false,
    assets: [{ id: 21, name: 'Fledge-1.10.0-arm64.dmg', size: 104_857_600 }],
  },
  {
    id: 1,
    name: 'Fledge 1.9.0',
    version: '1.9.0',
    channel: 'stable',
    chosenChannel: null,
    publishedAt: null,
    downloadCount: 1234,
    siteDownloadCount: 56,
    isAvailable: true,
    rolloutPercentage: 100,
    nextPercentage: null,
    nextPercentageAt: null,
    replacedAt: null,
    promotedAt: null,
    updateProblem: null,
    isRequired: false,
    assets: [],
  },
]

const stats: DownloadStats = {
  days: [
    { day: '2025-09-01', total: 12 },
    { day: '2025-09-02', total: 30 },
  ],
  versions: Array.from({ length: 10 }, (_, row) => ({
    version: `1.${9 - row}.0`,
    total: row === 0 ? 1042 : 10,
    arm64: row === 0 ? 40 : 6,
    x64: row === 0 ? 2 : 3,
  })),
}

beforeEach(() => {
  onGet('/api/get-download-stats', () => ({ days: [], versions: [] }))
  onGet('/api/get-version-usage', () => ({ days: [], archs: [], systems: [], channels: [] }))
})

const serve = (list = releases) =>
  onGet('/api/get-github-releases', () => ({ releases: list, lastCheck: '2025-09-02T10:30:00Z' }))

const stat = (label: string) => screen.getByText(label).nextElementSibling

/** The rollout of a version: its group, its stops and its field. */
async function rolloutOf(version: string) {
  const element = await screen.findByRole('group', { name: `Rollout of version ${version}` })
  return {
    element,
    stop: (name: string) => within(element).getByRole('button', { name }),
    field: () => within(element).getByRole('spinbutton', { name: 'Percentage' }),
  }
}

describe('the Updates tab', () => {
  it('lists the releases and what they add up to', async () => {
    serve()
    const { container } = renderView(UpdatesView)
    expect(await screen.findByRole('heading', { name: 'Fledge 1.10.0' })).toBeVisible()
    expect(screen.getByText('Manage Electron app releases and availability')).toBeVisible()
    expect(screen.getByText('100 MB')).toBeVisible()
    expect(screen.getByText(/1,234 downloads on GitHub · 56 started on this site/)).toBeVisible()
    expect(stat('Total Downloads')).toHaveTextContent('1,234')
    expect(stat('Available Releases')).toHaveTextContent('1')
    expect(stat('Last Check')).toHaveTextContent('Sep 2, 2025')
    expect(screen.getByRole('switch', { name: 'Fledge 1.10.0 Disabled' })).not.toBeChecked()
    expect(screen.getByRole('switch', { name: 'Fledge 1.9.0 Enabled' })).toBeChecked()
    expect(screen.getByRole('heading', { name: 'How It Works' })).toBeVisible()
    expect(screen.getByText(/Only admins can enable or disable releases/)).toBeVisible()
    expect(screen.getByText(/unless this installation enables new releases/)).toBeVisible()
    expect(screen.getByText(/one that loads only what has changed is not counted/)).toBeVisible()
    expect(await violations(container)).toEqual([])
  })

  it('changes a switch and the count only once the server has agreed', async () => {
    serve()
    let answer = () => {}
    onPost('/api/toggle-release-availability', async ({ body }) => {
      expect(body).toEqual({ releaseId: 2, version: '1.10.0', isAvailable: true })
      await new Promise<void>((resolve) => (answer = resolve))
      return { message: 'Release v1.10.0 is now available' }
    })
    renderView(UpdatesView)
    const toggle = await screen.findByRole('switch', { name: 'Fledge 1.10.0 Disabled' })
    await userEvent.click(toggle)
    await waitFor(() => expect(toggle).toHaveAttribute('aria-disabled', 'true'))
    expect(toggle).not.toBeChecked()
    expect(stat('Available Releases')).toHaveTextContent('1')
    await waitFor(() => {
      answer()
      expect(toggle).toBeChecked()
    })
    await waitFor(() => expect(toggle).not.toHaveAttribute('aria-disabled'))
    expect(stat('Available Releases')).toHaveTextContent('2')
    expect(await screen.findByText('Release v1.10.0 is now available')).toBeVisible()
  })

  it('leaves the switch alone when the server refuses', async () => {
    serve()
    onPost('/api/toggle-release-availability', () => failure(409, 'Reload.', 'Conflict'))
    renderView(UpdatesView)
    const toggle = await screen.findByRole('switch', { name: 'Fledge 1.9.0 Enabled' })
    await userEvent.click(toggle)
    const alert = await screen.findByRole('alert')
    expect(alert).toHaveTextContent('Failed to toggle release: Conflict')
    expect(toggle).toBeChecked()
    await waitFor(() => expect(toggle).not.toHaveAttribute('aria-disabled'))
  })

  it('shows a switch as it is when the answer is lost, and says so until it is tried again', async () => {
    serve()
    onPost('/api/toggle-release-availability', () => {
      serve(releases.map((release) => ({ ...release, isAvailable: true })))
      return offline()
    })
    renderView(UpdatesView)
    const toggle = await screen.findByRole('switch', { name: 'Fledge 1.10.0 Disabled' })
    await userEvent.click(toggle)
    await waitFor(() => expect(toggle).toBeChecked())
    expect(stat('Available Releases')).toHaveTextContent('2')
    expect(screen.getByRole('alert')).toHaveTextContent('Failed to toggle release: Network error')
  })

  it('says that a switch failed, not that the list cannot be loaded after it', async () => {
    serve()
    let asked = false
    onPost('/api/toggle-release-availability', () => {
      onGet('/api/get-github-releases', () => {
        asked = true
        return failure(403, 'Only admins.', 'Forbidden')
      })
      return failure(403, 'Only admins.', 'Forbidden')
    })
    renderView(UpdatesView)
    await userEvent.click(await screen.findByRole('switch', { name: 'Fledge 1.9.0 Enabled' }))
    await waitFor(() => expect(asked).toBe(true))
    await waitFor(() => expect(screen.getByRole('button', { name: 'Refresh' })).toBeEnabled())
    expect(screen.getByRole('alert')).toHaveTextContent('Failed to toggle release: Forbidden')
  })

  it('shows every other change as it is when its answer is lost', async () => {
    const changed = (change: Partial<Release>) => () => {
      serve(releases.map((release) => (release.id === 1 ? { ...release, ...change } : release)))
      return offline()
    }
    serve()
    onPost('/api/set-release-channel', changed({ channel: 'beta', chosenChannel: 'beta' }))
    onPost('/api/set-release-required', changed({ isRequired: true }))
    renderView(UpdatesView)
    const { element, stop } = await rolloutOf('1.9.0')
    await userEvent.selectOptions(
      screen.getByRole('combobox', { name: 'Channel of v1.9.0' }),
      'beta',
    )
    expect(await within(element).findByText(/on the beta or alpha channel$/)).toBeVisible()

    await userEvent.click(screen.getByRole('button', { name: 'Require v1.9.0' }))
    const dialog = within(await screen.findByRole('alertdialog', { name: 'Require v1.9.0?' }))
    await userEvent.click(dialog.getByRole('button', { name: 'Require' }))
    expect(await screen.findByText('Required: older apps have to update')).toBeVisible()

    onPost('/api/set-release-rollout', changed({ rolloutPercentage: 25 }))
    await userEvent.click(stop('25%'))
    expect(await within(element).findByText('Offered to about 25% of installed apps')).toBeVisible()

    onPost('/api/set-release-rollout', changed({ rolloutPercentage: 1 }))
    await userEvent.click(within(element).getByRole('button', { name: 'Raise daily from 1%' }))
    expect(await within(element).findByText('Offered to about 1% of installed apps')).toBeVisible()
  })

  it('sets a rollout once the server has agreed, and says what it means', async () => {
    serve()
    let answer = () => {}
    onPost('/api/set-release-rollout', async ({ body }) => {
      expect(body).toEqual({ releaseId: 1, version: '1.9.0', percentage: 25 })
      await new Promise<void>((resolve) => (answer = resolve))
      return { message: 'Release v1.9.0 is now offered to 25% of installed apps' }
    })
    renderView(UpdatesView)
    const rollout = await rolloutOf('1.9.0')
    expect(rollout.element).toHaveAccessibleDescription('Offered to all installed apps')
    expect(rollout.stop('100%')).toHaveAttribute('aria-pressed', 'true')
    rollout.stop('25%').focus()
    await userEvent.keyboard('{Enter}')
    await waitFor(() => expect(rollout.stop('25%')).toHaveAttribute('aria-disabled', 'true'))
    expect(rollout.field()).toHaveAttribute('readonly')
    expect(rollout.stop('25%')).toHaveAttribute('aria-pressed', 'false')
    expect(rollout.element).toHaveAccessibleDescription('Offered to all installed apps')
    await waitFor(() => {
      answer()
      expect(rollout.stop('25%')).toHaveAttribute('aria-pressed', 'true')
    })
    expect(rollout.element).toHaveAccessibleDescription('Offered to about 25% of installed apps')
    expect(rollout.field()).toHaveValue(25)
    await waitFor(() => expect(rollout.stop('25%')).toHaveFocus())
    const others = await rolloutOf('1.10.0')
    expect(others.element).toHaveAccessibleDescription(
      'Once enabled, offered to all installed apps',
    )
  })

  it('takes any whole percentage, and no other', async () => {
    serve()
    const asked: unknown[] = []
    onPost('/api/set-release-rollout', ({ body }) => {
      asked.push((body as { percentage: number }).percentage)
      return { message: 'Release v1.9.0 is now offered to 7% of installed apps' }
    })
    renderView(UpdatesView)
    const rollout = await rolloutOf('1.9.0')
    for (const wrong of ['', '101', '-1', '12.5']) {
      await userEvent.clear(rollout.field())
      await userEvent.type(rollout.field(), `${wrong}{Enter}`)
    }
    expect(asked).toEqual([])
    await userEvent.clear(rollout.field())
    await userEvent.type(rollout.field(), '7{Enter}')
    expect(await screen.findByText('Offered to about 7% of installed apps')).toBeVisible()
    expect(asked).toEqual([7])
  })

  it('has a rollout rise by itself until a percentage is chosen, even the same', async () => {
    let served = releases
    onGet('/api/get-github-releases', () => ({ releases: served, lastCheck: null }))
    onPost('/api/set-release-rollout', ({ body }) => {
      if (!(body as { rises?: boolean }).rises) {
        expect(body).toEqual({ releaseId: 1, version: '1.9.0', percentage: 1 })
        return { message: 'Release v1.9.0 is now offered to 1% of installed apps' }
      }
      expect(body).toEqual({ releaseId: 1, version: '1.9.0', rises: true })
      const rise = {
        rolloutPercentage: 1,
        nextPercentage: 5,
        nextPercentageAt: '2026-11-28T10:00:00Z',
      }
      served = releases.map((release) => (release.id === 1 ? { ...release, ...rise } : release))
      return { message: 'Release v1.9.0 is now offered to 1% of installed apps, and to more' }
    })
    renderView(UpdatesView)
    const rollout = await rolloutOf('1.9.0')
    const raise = () =>
      within(rollout.element).queryByRole('button', { name: 'Raise daily from 1%' })
    await userEvent.click(raise()!)
    expect(
      await screen.findByText(/^Offered to about 1% of installed apps; 5% from Nov 28, 2026/),
    ).toBeVisible()
    expect(raise()).not.toBeInTheDocument()
    await userEvent.type(rollout.field(), '{Enter}')
    expect(await screen.findByText('Offered to about 1% of installed apps')).toBeVisible()
    expect(raise()).toBeVisible()
  })

  it('requires a release that all are offered, after a question, until it is taken back', async () => {
    serve()
    const asked: unknown[] = []
    onPost('/api/set-release-required', ({ body }) => {
      asked.push((body as { isRequired: boolean }).isRequired)
      return { message: 'Release v1.9.0 is now required: older apps have to update' }
    })
    renderView(UpdatesView)
    await userEvent.click(await screen.findByRole('button', { name: 'Require v1.9.0' }))
    expect(screen.queryByRole('button', { name: 'Require v1.10.0' })).not.toBeInTheDocument()
    const dialog = await screen.findByRole('alertdialog', { name: 'Require v1.9.0?' })
    expect(asked).toEqual([])
    await userEvent.click(within(dialog).getByRole('button', { name: 'Require' }))
    expect(await screen.findByText('Required: older apps have to update')).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Stop requiring v1.9.0' }))
    await waitFor(() =>
      expect(screen.queryByText('Required: older apps have to update')).not.toBeInTheDocument(),
    )
    expect(asked).toEqual([true, false])
  })

  it('says why a release was disabled, until it is enabled again', async () => {
    serve([
      { ...releases[0]!, isAvailable: false, replacedAt: '2026-11-28T10:00:00Z' },
      ...releases.slice(1),
    ])
    onPost('/api/toggle-release-availability', () => ({ message: 'Done' }))
    renderView(UpdatesView)
    const why = await screen.findByText(/^Its files were replaced on GitHub, seen Nov 28, 2026/)
    expect(why).toBeVisible()
    await userEvent.click(screen.getByRole('switch', { name: `${releases[0]!.name} Disabled` }))
    await waitFor(() => expect(why).not.toBeInTheDocument())
  })

  it('says that a release that is a prerelease no more waits for a channel', async () => {
    serve([
      {
        ...releases[0]!,
        channel: 'beta',
        chosenChannel: 'beta',
        promotedAt: '2026-11-28T10:00:00Z',
      },
      ...releases.slice(1),
    ])
    renderView(UpdatesView)
    const why = await screen.findByText(
      /^It is no longer a prerelease on GitHub, seen Nov 28, 2026/,
    )
    expect(why).toHaveTextContent(/It stays on beta until you choose another channel\.$/)
  })

  it('says that a release was disabled because it is a prerelease no more', async () => {
    serve([
      { ...releases[0]!, isAvailable: false, promotedAt: '2026-11-28T10:00:00Z' },
      ...releases.slice(1),
    ])
    onPost('/api/toggle-release-availability', () => ({ message: 'Done' }))
    renderView(UpdatesView)
    const why = await screen.findByText(
      /^It is no longer a prerelease on GitHub, seen Nov 28, 2026/,
    )
    expect(why).toBeVisible()
    await userEvent.click(screen.getByRole('switch', { name: `${releases[0]!.name} Disabled` }))
    await waitFor(() => expect(why).not.toBeInTheDocument())
  })

  it('leaves the rollout alone when the server refuses', async () => {
    serve()
    onPost('/api/set-release-rollout', () => failure(503, 'Later.', 'Service Unavailable'))
    renderView(UpdatesView)
    const rollout = await rolloutOf('1.9.0')
    await userEvent.click(rollout.stop('0%'))
    const alert = await screen.findByRole('alert')
    expect(alert).toHaveTextContent('Failed to set rollout: Service Unavailable')
    expect(rollout.stop('100%')).toHaveAttribute('aria-pressed', 'true')
    await waitFor(() => expect(rollout.stop('0%')).not.toHaveAttribute('aria-disabled'))
  })

  it('draws the downloads of each day and of each version', async () => {
    serve()
    onGet('/api/get-download-stats', () => stats)
    const { container } = renderView(UpdatesView)
    expect(
      await screen.findByRole('img', { name: '42 downloads in 2 days, most on Sep 2: 30' }),
    ).toBeVisible()
    const table = screen.getByRole('table', { name: 'By version, all time' })
    const newest = within(table).getByRole('row', { name: /^v1\.9\.0/ })
    expect(
      within(newest)
        .getAllByRole('cell')
        .map((cell) => cell.textContent),
    ).toEqual(['40', '2', '1,042'])
    expect(within(table).getByRole('row', { name: 'Older versions 12 6 20' })).toBeVisible()
    expect(within(table).getAllByRole('row')).toHaveLength(10)
    expect(await violations(container)).toEqual([])
  })

  it('stands without the counts', async () => {
    serve()
    onGet('/api/get-download-stats', () => failure(503, 'Later.', 'Service Unavailable'))
    renderView(UpdatesView)
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'Failed to fetch downloads: Service Unavailable',
    )
    expect(await screen.findByRole('heading', { name: 'Fledge 1.9.0' })).toBeVisible()
  })

  it('says that releases could not be fetched, and tries again', async () => {
    onGet('/api/get-github-releases', () => failure(403, 'Only admins.', 'Forbidden'))
    const { container } = renderView(UpdatesView)
    const alert = await screen.findByRole('alert')
    expect(alert).toHaveTextContent('Failed to fetch releases: Forbidden')
    await waitFor(() => expect(screen.queryByText('No releases found')).not.toBeInTheDocument())
    expect(stat('Total Downloads')).toHaveTextContent('–')
    expect(stat('Last Check')).toHaveTextContent('–')
    expect(await violations(container)).toEqual([])
    serve()
    await userEvent.click(screen.getByRole('button', { name: 'Refresh' }))
    expect(await screen.findByRole('heading', { name: 'Fledge 1.9.0' })).toBeVisible()
    await waitFor(() => expect(screen.queryByText(/Failed to fetch/)).not.toBeInTheDocument())
  })

  it('says when there are none', async () => {
    serve([])
    renderView(UpdatesView)
    expect(await screen.findByText('No releases found')).toBeVisible()
  })
})

vi.mock('next/navigation', () => import('@/testing/navigation'))

describe('a pre-release', () => {
  const beta: Release = {
    ...releases[1]!,
    id: 3,
    name: 'Fledge 1.2.0 beta',
    version: '1.2.0-beta.1',
    channel: 'beta',
  }
  const alpha: Release = { ...beta, id: 4, version: '1.3.0-alpha.1', channel: 'alpha' }

  it('says which apps are offered it', async () => {
    serve([{ ...alpha, rolloutPercentage: 25, isAvailable: false }, beta, ...releases])
    const { container } = renderView(UpdatesView)
    expect((await rolloutOf('1.2.0-beta.1')).element).toHaveAccessibleDescription(
      'Offered to all apps on the beta or alpha channel',
    )
    expect((await rolloutOf('1.3.0-alpha.1')).element).toHaveAccessibleDescription(
      'Once enabled, offered to about 25% of apps on the alpha channel',
    )
    expect(screen.getAllByText('Beta')).toHaveLength(1)
    expect(screen.getAllByText('Alpha')).toHaveLength(1)
    expect(stat('Available Releases')).toHaveTextContent('2')
    expect(await violations(container)).toEqual([])
  })

  it('shows a channel that only a newer server knows by its own word', async () => {
    serve([
      { ...beta, channel: 'nightly' as Channel },
      { ...alpha, channel: 'nightly' as Channel, rolloutPercentage: 25 },
    ])
    renderView(UpdatesView)
    expect((await rolloutOf('1.2.0-beta.1')).element).toHaveAccessibleDescription(
      'Offered to all apps on the nightly channel',
    )
    expect((await rolloutOf('1.3.0-alpha.1')).element).toHaveAccessibleDescription(
      'Offered to about 25% of apps on the nightly channel',
    )
    expect(screen.getAllByText('Nightly')).toHaveLength(2)
  })
})

describe('the versions in use', () => {
  const share = (name: string, total: number) => ({ name, total })
  const usage: VersionUsage = {
    days: [
      { day: '2025-09-01', versions: [share('1.9.0', 30), share('other', 10)] },
      { day: '2025-09-02', versions: [share('1.10.0', 45), share('1.9.0', 15)] },
    ],
    archs: [share('arm64', 90), share('other', 10)],
    systems: [share('14', 90), share('other', 10)],
    channels: [share('stable', 100)],
  }

  it('shows how each spreads, and on what Macs', async () => {
    serve()
    onGet('/api/get-version-usage', () => usage)
    const { container } = renderView(UpdatesView)
    const chart = (name: string) => screen.findByRole('img', { name })
    expect(await chart('v1.9.0: 45% of update checks in 2 days, most on Sep 1: 75%')).toBeVisible()
    const version = screen.getByRole('combobox', { name: 'Version' })
    expect(
      within(version)
        .getAllByRole('option')
        .map(({ textContent }) => textContent),
    ).toEqual(['v1.9.0', 'v1.10.0', 'Unknown'])
    await userEvent.selectOptions(version, 'v1.10.0')
    expect(await chart('v1.10.0: 45% of update checks in 2 days, most on Sep 2: 75%')).toBeVisible()
    const rows = (name: string) =>
      within(screen.getByRole('list', { name: `Update checks by ${name}` }))
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent)
    expect(rows('Version')).toEqual(['v1.9.045 (45%)', 'v1.10.045 (45%)', 'Unknown10 (10%)'])
    expect(rows('Mac')).toEqual(['Apple silicon90 (90%)', 'Unknown10 (10%)'])
    expect(rows('macOS')).toEqual(['macOS 1490 (90%)', 'Unknown10 (10%)'])
    expect(rows('Channel')).toEqual(['stable100 (100%)'])
    expect(await violations(container)).toEqual([])
  })

  it('are not there until an app has looked, and say when they cannot be had', async () => {
    serve()
    renderView(UpdatesView)
    expect(await screen.findByText('No downloads yet.')).toBeVisible()
    expect(screen.queryByText('Versions in use')).not.toBeInTheDocument()
    onGet('/api/get-version-usage', () => failure(503, 'Later.', 'Service Unavailable'))
    await userEvent.click(screen.getByRole('button', { name: 'Refresh' }))
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'Failed to fetch versions in use: Service Unavailable',
    )
  })
})

describe('what makes no sense', () => {
  it('is said so by the part that it is of', async () => {
    onGet('/api/get-github-releases', () => new Response('{}'))
    onGet('/api/get-download-stats', () => new Response('{"days":null}'))
    renderView(UpdatesView)
    expect(await screen.findByText(/^Failed to fetch releases: /)).toBeVisible()
    expect(await screen.findByText(/^Failed to fetch downloads: /)).toBeVisible()
    expect(screen.getByRole('heading', { name: 'How It Works' })).toBeVisible()
  })

  it('takes only its own release away', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    serve([{ ...releases[0]!, assets: null as never }, releases[1]!])
    renderView(UpdatesView)
    expect(await screen.findByRole('heading', { name: 'Fledge 1.9.0' })).toBeVisible()
    expect(screen.getByText('This release could not be shown.')).toBeVisible()
  })
})

it('puts a release on the channel that staff choose', async () => {
  let chosen: Channel | null = null
  onGet('/api/get-github-releases', () => ({
    releases: [{ ...releases[1]!, channel: chosen ?? 'stable', chosenChannel: chosen }],
    lastCheck: null,
  }))
  const sent: unknown[] = []
  onPost('/api/set-release-channel', ({ body }) => {
    const { channel } = body as { channel: Channel }
    sent.push(body)
    chosen = channel
    return { message: `Release v1.9.0 is now on the channel ${channel}` }
  })
  renderView(UpdatesView)
  const choice = await screen.findByRole('combobox', { name: 'Channel of v1.9.0' })
  expect(choice).toHaveDisplayValue('As on GitHub')
  await userEvent.selectOptions(choice, 'alpha')
  expect(await screen.findByText('Offered to all apps on the alpha channel')).toBeVisible()
  expect(choice).toHaveDisplayValue('alpha')

  // Back to more apps only after a question.
  await userEvent.selectOptions(choice, 'stable')
  const asked = within(
    await screen.findByRole('alertdialog', { name: 'Offer v1.9.0 to more apps?' }),
  )
  expect(
    asked.getByText('It is enabled: 100% of installed apps are offered it at once.'),
  ).toBeVisible()
  expect(sent).toHaveLength(1)
  await userEvent.click(asked.getByRole('button', { name: 'Offer' }))
  expect(await screen.findByText('Offered to all installed apps')).toBeVisible()
  expect(sent).toEqual([
    { releaseId: 1, version: '1.9.0', channel: 'alpha' },
    { releaseId: 1, version: '1.9.0', channel: 'stable' },
  ])
})

it('shows a channel of a release that only a newer server knows, and asks before it is left', async () => {
  const nightly = 'nightly' as Channel
  const sent: unknown[] = []
  serve([{ ...releases[1]!, channel: nightly, chosenChannel: nightly }])
  onPost('/api/set-release-channel', ({ body }) => {
    sent.push(body)
    return { message: 'Done' }
  })
  renderView(UpdatesView)
  const choice = await screen.findByRole('combobox', { name: 'Channel of v1.9.0' })
  expect(choice).toHaveDisplayValue('nightly')
  await userEvent.selectOptions(choice, 'alpha')
  const asked = within(
    await screen.findByRole('alertdialog', { name: 'Offer v1.9.0 to more apps?' }),
  )
  expect(sent).toEqual([])
  await userEvent.click(asked.getByRole('button', { name: 'Offer' }))
  await waitFor(() => expect(sent).toEqual([{ releaseId: 1, version: '1.9.0', channel: 'alpha' }]))
})

it('asks again by itself until the checksums are worked out', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  try {
    serve([{ ...releases[1]!, updateProblem: 'no_checksum' }])
    renderView(UpdatesView)
    expect(await screen.findByText(/are not worked out yet/)).toBeVisible()
    serve([releases[1]!])
    await vi.advanceTimersByTimeAsync(15_000)
    expect(await screen.findByText('Offered to all installed apps')).toBeVisible()
    let asked = 0
    onGet('/api/get-github-releases', () => {
      asked++
      return { releases, lastCheck: null }
    })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(asked).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})
