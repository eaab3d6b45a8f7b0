import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import type { PreviewLink, Release } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { failure, onGet, onPost, unanswered } from '@/testing/server'
import { renderView } from '../testing'
import { PreviewLinks } from './preview-links'

const release: Release = {
  id: 2,
  name: 'Fledge 2.0.0',
  version: '2.0.0',
  channel: 'stable',
  chosenChannel: null,
  publishedAt: '2026-11-20T12:00:00Z',
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
  assets: [{ id: 21, name: 'Fledge-2.0.0-arm64.dmg', size: 1 }],
}
const link: PreviewLink = {
  id: 7,
  // The same day from Honolulu to Auckland.
  createdAt: '2026-11-27T10:30:00Z',
  endsAt: '2026-12-04T10:30:00Z',
}
const url = 'https://fledge.test/api/preview/AAAA/Fledge-2.0.0-arm64.dmg'

async function open(shown = release) {
  const view = renderView(() => <PreviewLinks release={shown} />)
  await userEvent.click(await screen.findByRole('button', { name: 'Preview links to v2.0.0' }))
  return {
    ...view,
    dialog: within(screen.getByRole('dialog', { name: 'Preview links to v2.0.0' })),
  }
}

it('makes a link, hands it out once, and revokes it', async () => {
  userEvent.setup() // which brings a clipboard
  let links: PreviewLink[] = []
  onGet('/api/get-preview-links', ({ url: { searchParams } }) => {
    expect(searchParams.get('version')).toBe('2.0.0')
    return { links }
  })
  onPost('/api/create-preview-link', ({ body }) => {
    expect(body).toEqual({ releaseId: 2, version: '2.0.0', days: 30 })
    links = [link]
    return { link, downloads: [{ filename: 'Fledge-2.0.0-arm64.dmg', url }] }
  })
  onPost('/api/revoke-preview-link', ({ body }) => {
    expect(body).toEqual({ linkId: 7 })
    links = []
    return { message: 'The link no longer works' }
  })
  const { container, dialog } = await open()
  expect(await dialog.findByText('None.')).toBeVisible()
  const days = dialog.getByRole('combobox', { name: 'The link works for' })
  expect(days).toHaveDisplayValue('7 days')
  await userEvent.selectOptions(days, '30 days')
  await userEvent.click(dialog.getByRole('button', { name: 'Make link' }))
  expect(await dialog.findByDisplayValue(url)).toHaveAccessibleName('Fledge-2.0.0-arm64.dmg')
  await userEvent.click(
    dialog.getByRole('button', { name: 'Copy the link to Fledge-2.0.0-arm64.dmg' }),
  )
  expect(await navigator.clipboard.readText()).toBe(url)
  expect(dialog.getByText('Link copied.')).toBeVisible()
  const used = await dialog.findByText(/^Link 7: made Nov 27, 2026.*, ends Dec 4, 2026/)
  expect(await violations(container)).toEqual([])

  await userEvent.click(dialog.getByRole('button', { name: /^Revoke link 7, made Nov 27, 2026/ }))
  expect(await dialog.findByText('None.')).toBeVisible()
  expect(used).not.toBeInTheDocument()
  expect(dialog.queryByDisplayValue(url)).not.toBeInTheDocument()
})

it('shows the address no more once the dialog was closed', async () => {
  onGet('/api/get-preview-links', () => ({ links: [link] }))
  onPost('/api/create-preview-link', () => ({ link, downloads: [{ filename: 'a.dmg', url }] }))
  const { dialog } = await open()
  await userEvent.click(dialog.getByRole('button', { name: 'Make link' }))
  expect(await dialog.findByDisplayValue(url)).toBeVisible()
  await userEvent.click(dialog.getByRole('button', { name: 'Close' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Preview links to v2.0.0' }))
  expect(await screen.findByText(/^Link 7: made Nov 27, 2026/)).toBeVisible()
  expect(screen.queryByDisplayValue(url)).not.toBeInTheDocument()
})

it('stays open while a link is made, for its address is shown once', async () => {
  onGet('/api/get-preview-links', () => ({ links: [link] }))
  let answer = () => {}
  onPost('/api/create-preview-link', async () => {
    await new Promise<void>((resolve) => (answer = resolve))
    return { link, downloads: [{ filename: 'a.dmg', url }] }
  })
  const { dialog } = await open()
  await userEvent.click(dialog.getByRole('button', { name: 'Make link' }))
  const cross = dialog.getByRole('button', { name: 'Close' })
  expect(cross).toHaveAttribute('aria-disabled', 'true')
  await userEvent.click(cross)
  await waitFor(() => {
    answer()
    expect(dialog.getByDisplayValue(url)).toBeVisible()
  })
})

it('says what the server refuses', async () => {
  onGet('/api/get-preview-links', () => ({ links: [link] }))
  onPost('/api/create-preview-link', () => failure(409, 'This release has 20 preview links.'))
  onPost('/api/revoke-preview-link', () => failure(404, 'This link has ended.'))
  const { dialog } = await open()
  await userEvent.click(dialog.getByRole('button', { name: 'Make link' }))
  expect(await dialog.findByText('This release has 20 preview links.')).toBeVisible()
  await userEvent.click(await dialog.findByRole('button', { name: /^Revoke link 7/ }))
  expect(await dialog.findByText('This link has ended.')).toBeVisible()
})

it('is not there for a release that nobody can install by hand', async () => {
  renderView(() => (
    <>
      <PreviewLinks release={{ ...release, assets: [{ id: 22, name: 'Fledge.zip', size: 1 }] }} />
      <p>rendered</p>
    </>
  ))
  await screen.findByText('rendered')
  expect(screen.queryByRole('button')).not.toBeInTheDocument()
})

it('says that the links are yet to come', async () => {
  onGet('/api/get-preview-links', unanswered)
  const { dialog } = await open()
  expect(dialog.getByText('Loading links...')).toBeInTheDocument()
  expect(dialog.queryByText('None.')).not.toBeInTheDocument()
})
