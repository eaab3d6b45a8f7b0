import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type * as downloads from '@/lib/api/download'
import { saveFile } from '@/lib/api/download'
import type { ImportPreview } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { failure, offline, onPost } from '@/testing/server'
import { anEntry, renderTabs, renderView, serveWaitlist } from '../testing'
import { MAX_IMPORT_BYTES } from './use-import'
import { WaitlistView } from './waitlist-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))

vi.mock('@/lib/api/download', async (original) => ({
  ...(await original<typeof downloads>()),
  saveFile: vi.fn(),
}))

beforeEach(() => {
  visit('/admin')
  serveWaitlist(() => [anEntry(1), anEntry(2), anEntry(3, 'approved')])
})

describe('importing a file', () => {
  /** A file; jsdom's has no way to its bytes. */
  const aFile = (text = 'email\r\na@b.test\r\n') =>
    Object.assign(new File([text], 'people.csv'), {
      arrayBuffer: async () => new TextEncoder().encode(text).buffer,
    })
  const openDialog = async () => {
    await userEvent.click(await screen.findByRole('button', { name: 'Import CSV' }))
    return within(await screen.findByRole('dialog', { name: 'Import a CSV file' }))
  }

  const aPreview = (overrides: Partial<ImportPreview> = {}): ImportPreview => ({
    report: { added: 1, known: 0, invalid: 0, lines: [] },
    columns: [
      { title: 'email', sample: 'a@b.test', isTime: false },
      { title: '', sample: '3/4/2026', isTime: true },
    ],
    email: 1,
    joined: 0,
    status: 0,
    source: 0,
    head: 1,
    dayFirst: false,
    oldestFirst: true,
    rows: [
      {
        line: 2,
        email: 'a@b.test',
        outcome: 'added',
        joinedAt: '2026-03-04T00:00:00Z',
        status: 'pending',
        source: 'import',
        error: null,
      },
    ],
    ...overrides,
  })
  /** The preview with the columns that were asked for. */
  const asPreviewed = ({ searchParams }: URL) =>
    aPreview({
      joined: Number(searchParams.get('joined') ?? 0),
      dayFirst: searchParams.get('dates') === 'day_first',
      report: {
        ...aPreview().report,
        datesUnclear: searchParams.has('joined') && !searchParams.has('dates'),
      },
    })
  /** Chooses a file, and imports it once its preview is there. */
  const importFile = async (dialog: Awaited<ReturnType<typeof openDialog>>, file: File) => {
    await userEvent.upload(dialog.getByLabelText('CSV file'), file)
    await dialog.findByRole('region', { name: 'First lines' })
    await userEvent.click(dialog.getByRole('button', { name: 'Import' }))
  }
  beforeEach(() => onPost('/api/preview-waitlist-import', () => aPreview()))

  /** A file of as many addresses, with a line before them. */
  const aLongFile = (count: number) => {
    const lines = Array.from({ length: count }, (_, n) => `p${n}@b.test\n`)
    const bytes = new TextEncoder().encode(`email\n${lines.join('')}`)
    const piece = (begin: number, end: number) => ({
      arrayBuffer: async () => bytes.slice(begin, end).buffer,
    })
    const file = Object.assign(new File([bytes], 'people.csv'), piece(0, bytes.length))
    return Object.assign(file, { slice: piece })
  }

  /** Long files take their time to be read. */
  const slow = { timeout: 20_000 }

  it('of many lines goes in parts, with the numbers of the lines in the file', async () => {
    const places: string[] = []
    onPost('/api/import-waitlist-users', ({ url: { searchParams: asked } }) => {
      places.push(`${asked.get('order')} ${asked.get('offset')}`)
      const line = 3 + Number(asked.get('offset'))
      const failed = { line, email: 'x', outcome: 'invalid' as const, error: 'No' }
      return { added: 10, known: 1, invalid: 1, lines: [failed] }
    })
    serveWaitlist(() => [anEntry(1), anEntry(2), anEntry(3, 'approved')])
    renderView(WaitlistView)
    const dialog = await openDialog()
    await importFile(dialog, aLongFile(50_010))
    const result = await dialog.findByRole('group', { name: 'Result' }, slow)
    expect(result).toHaveTextContent('Added30Known3Failed3')
    expect(places).toEqual(['oldest_first 0', 'oldest_first 24999', 'oldest_first 49999'])
    const rows = dialog.getAllByRole('row').slice(-3)
    expect(rows.map((row) => row.textContent?.split('x')[0])).toEqual(['3', '25,002', '50,002'])
  }, 60_000)

  it('of many lines goes in parts with its first line, when the preview does not tell the head', async () => {
    const began: string[] = []
    onPost('/api/preview-waitlist-import', () => ({ ...aPreview(), head: undefined }) as never)
    onPost('/api/import-waitlist-users', ({ body }) => {
      began.push(String(body).split('\n', 2).join(' '))
      return { added: 10, known: 0, invalid: 0, lines: [] }
    })
    serveWaitlist(() => [anEntry(1), anEntry(2), anEntry(3, 'approved')])
    renderView(WaitlistView)
    const dialog = await openDialog()
    await importFile(dialog, aLongFile(30_000))
    await dialog.findByRole('group', { name: 'Result' }, slow)
    expect(began).toEqual(['email p0@b.test', 'email p24999@b.test'])
  }, 60_000)

  it('of many lines is complete when it was stopped at its last part', async () => {
    let answer = () => {}
    let parts = 0
    onPost('/api/import-waitlist-users', async () => {
      if (++parts === 3) await new Promise<void>((resolve) => (answer = resolve))
      return { added: 10, known: 0, invalid: 0, lines: [] }
    })
    serveWaitlist(() => [anEntry(1), anEntry(2), anEntry(3, 'approved')])
    renderView(WaitlistView)
    const dialog = await openDialog()
    await importFile(dialog, aLongFile(60_000))
    await dialog.findByRole('progressbar', { name: 'Imported' }, slow)
    await waitFor(() => expect(parts).toBe(3), slow)
    await userEvent.click(dialog.getByRole('button', { name: 'Stop' }))
    answer()
    const result = await dialog.findByRole('group', { name: 'Result' }, slow)
    expect(result).toHaveTextContent('Added30Known0Failed0')
    expect(dialog.queryByRole('alert')).toBeNull()
  }, 60_000)

  it('of many lines shows how far it is, and is stopped', async () => {
    let answer = () => {}
    let parts = 0
    onPost('/api/import-waitlist-users', async () => {
      if (++parts === 2) await new Promise<void>((resolve) => (answer = resolve))
      return { added: 10, known: 0, invalid: 0, lines: [] }
    })
    serveWaitlist(() => [anEntry(1), anEntry(2), anEntry(3, 'approved')])
    renderView(WaitlistView)
    const dialog = await openDialog()
    await importFile(dialog, aLongFile(60_000))
    const progress = await dialog.findByRole('progressbar', { name: 'Imported' }, slow)
    expect(progress).toHaveAttribute('value')
    await userEvent.click(dialog.getByRole('button', { name: 'Stop' }))
    answer()
    expect(await dialog.findByRole('alert', {}, slow)).toHaveTextContent(
      'You have stopped the import.',
    )
    expect(dialog.getByRole('group', { name: 'Result' })).toHaveTextContent('Added20Known0Failed0')
    expect(parts).toBe(2)
    expect(dialog.queryByRole('progressbar')).not.toBeInTheDocument()
  }, 60_000)

  it('of some more lines than a part has shows in each step that it is under way, and is stopped', async () => {
    let answer = () => {}
    const held = () => new Promise<void>((resolve) => (answer = resolve))
    let parts = 0
    onPost('/api/preview-waitlist-import', async () => {
      await held()
      return aPreview()
    })
    onPost('/api/import-waitlist-users', async () => {
      parts++
      await held()
      return { added: 10, known: 0, invalid: 0, lines: [] }
    })
    serveWaitlist(() => [anEntry(1), anEntry(2), anEntry(3, 'approved')])
    renderView(WaitlistView)
    const dialog = await openDialog()
    const file = aLongFile(25_001)
    await userEvent.upload(dialog.getByLabelText('CSV file'), file)
    expect(dialog.getByRole('progressbar', { name: 'Reading the file' })).toBeVisible()
    await userEvent.click(dialog.getByRole('button', { name: 'Stop' }))
    expect(dialog.queryByRole('progressbar')).not.toBeInTheDocument()
    expect(dialog.getByText('Choose a file, or drop it here')).toBeVisible()
    expect(dialog.getByRole('button', { name: 'Import' })).toBeDisabled()
    expect(dialog.getByRole('heading', { name: 'Import a CSV file' })).toHaveFocus()

    await userEvent.upload(dialog.getByLabelText('CSV file'), file)
    await waitFor(() => {
      answer()
      expect(dialog.getByText(/is of the beginning, at most 25,000 lines/)).toBeVisible()
    }, slow)
    await userEvent.selectOptions(dialog.getByLabelText('Joined column'), 'Column 2: 3/4/2026')
    await userEvent.click(dialog.getByRole('button', { name: 'Stop' }))
    expect(dialog.getByLabelText('Joined column')).toHaveDisplayValue('None')
    answer = () => {}
    await userEvent.click(dialog.getByRole('button', { name: 'Import' }))
    expect(await dialog.findByRole('progressbar', { name: 'Imported' }, slow)).toHaveAttribute(
      'value',
      '0',
    )
    await userEvent.click(dialog.getByRole('button', { name: 'Stop' }))
    await waitFor(() => {
      answer()
      expect(dialog.getByRole('alert')).toHaveTextContent('You have stopped the import.')
    }, slow)
    expect(dialog.getByRole('heading', { name: 'Import a CSV file' })).toHaveFocus()
    expect(parts).toBe(1)
  }, 60_000)

  it('of no more lines than a part has is previewed as a whole', async () => {
    renderView(WaitlistView)
    const dialog = await openDialog()
    await userEvent.upload(dialog.getByLabelText('CSV file'), aLongFile(24_998))
    await dialog.findByRole('region', { name: 'First lines' }, slow)
    expect(dialog.queryByText(/is of the beginning/)).toBeNull()
  })

  it('goes on in another tab of the dashboard, and tells its end there', async () => {
    let answer = () => {}
    onPost('/api/import-waitlist-users', async () => {
      await new Promise<void>((resolve) => (answer = resolve))
      return { added: 1200, known: 2, invalid: 1, lines: [] }
    })
    const leave = renderTabs(WaitlistView)
    await importFile(await openDialog(), aFile())
    await leave()
    await waitFor(() => {
      answer()
      expect(screen.getByText('people.csv was imported')).toBeVisible()
    })
    expect(
      screen.getByText('1,200 added, 2 known, 1 failed. Import it again to see which.'),
    ).toBeVisible()
  })

  it('shows first how the file is read, and lets it be corrected', async () => {
    const asked: string[] = []
    onPost('/api/preview-waitlist-import', ({ url }) => {
      asked.push(url.search)
      return asPreviewed(url)
    })
    onPost('/api/import-waitlist-users', ({ url }) => {
      asked.push(url.search)
      return { added: 1, known: 0, invalid: 0, lines: [] }
    })
    const { container } = renderView(WaitlistView)
    const dialog = await openDialog()
    await userEvent.upload(dialog.getByLabelText('CSV file'), aFile())
    expect(await dialog.findByRole('row', { name: '2 a@b.test Now pending import' })).toBeVisible()
    expect(dialog.getByText(/^1 would be added, 0 are known/)).toBeVisible()
    const unused = dialog.getByText(
      /^No column is used .* These hold dates: Column 2: 3\/4\/2026\.$/,
    )
    expect(unused).toBeVisible()
    expect(await violations(container)).toEqual([])
    await userEvent.selectOptions(dialog.getByLabelText('Joined column'), 'Column 2: 3/4/2026')
    expect(await dialog.findByRole('row', { name: /a@b\.test Mar 4, 2026/ })).toBeVisible()
    expect(unused).not.toBeInTheDocument()
    const unclear = dialog.getByText(/^All dates in the file make sense either way/)
    await userEvent.selectOptions(dialog.getByLabelText('Dates such as 3/4/2026'), 'April 3')
    await waitFor(() => expect(asked).toHaveLength(3))
    await waitFor(() => expect(unclear).not.toBeInTheDocument())
    await userEvent.click(dialog.getByRole('button', { name: 'Import' }))
    expect(await dialog.findByText('Every address was added.')).toBeVisible()
    expect(asked).toEqual([
      '',
      '?joined=2',
      '?joined=2&dates=day_first',
      '?email=1&joined=2&status=0&source=0&dates=day_first',
    ])
  })

  it('imports nothing while a correction is not shown yet, or cannot be shown', async () => {
    let answer = () => {}
    onPost('/api/preview-waitlist-import', async ({ url }) => {
      if (url.searchParams.get('joined') === '0') return failure(400, 'The file is a workbook.')
      if (url.search) await new Promise<void>((resolve) => (answer = resolve))
      return asPreviewed(url)
    })
    renderView(WaitlistView)
    const dialog = await openDialog()
    await userEvent.upload(dialog.getByLabelText('CSV file'), aFile())
    await dialog.findByRole('region', { name: 'First lines' })
    const start = dialog.getByRole('button', { name: 'Import' })
    expect(start).toBeEnabled()
    await userEvent.selectOptions(dialog.getByLabelText('Joined column'), 'Column 2: 3/4/2026')
    expect(start).toBeDisabled()
    expect(dialog.getByLabelText('Joined column')).toHaveFocus()
    await waitFor(() => {
      answer()
      expect(start).toBeEnabled()
    })
    await userEvent.selectOptions(dialog.getByLabelText('Joined column'), 'None')
    expect(await dialog.findByRole('alert')).toHaveTextContent('The file is a workbook.')
    expect(start).toBeDisabled()
    // What was chosen is still there, and can be changed.
    expect(dialog.getByLabelText('Joined column')).toHaveFocus()
    expect(dialog.getByLabelText('Joined column')).toHaveDisplayValue('None')
    await userEvent.selectOptions(dialog.getByLabelText('Joined column'), 'Column 2: 3/4/2026')
    await waitFor(() => {
      answer()
      expect(start).toBeEnabled()
    })
    expect(dialog.queryByRole('alert')).toBeNull()
  })

  it('says nothing of a file that was replaced', async () => {
    renderView(WaitlistView)
    const dialog = await openDialog()
    let fail = () => {}
    const unreadable = Object.assign(new File(['x'], 'unreadable.csv'), {
      arrayBuffer: () =>
        new Promise<ArrayBuffer>((_, reject) => (fail = () => reject(new Error()))),
    })
    await userEvent.upload(dialog.getByLabelText('CSV file'), unreadable)
    await userEvent.upload(dialog.getByLabelText('CSV file'), aFile())
    await dialog.findByRole('region', { name: 'First lines' })
    await act(async () => fail())
    expect(dialog.queryByRole('alert')).toBeNull()
    await userEvent.upload(dialog.getByLabelText('CSV file'), unreadable)
    fail()
    expect(await dialog.findByRole('alert')).toHaveTextContent('unreadable.csv could not be read.')
  })

  it('is importing from the click on, before the file is read', async () => {
    renderView(WaitlistView)
    const dialog = await openDialog()
    const file = aFile()
    await userEvent.upload(dialog.getByLabelText('CSV file'), file)
    await dialog.findByRole('region', { name: 'First lines' })
    const read = vi.spyOn(file, 'arrayBuffer').mockReturnValue(new Promise(() => {}))
    const start = dialog.getByRole('button', { name: 'Import' })
    fireEvent.click(start)
    fireEvent.click(start)
    expect(dialog.getByRole('button', { name: 'Importing...' })).toBeVisible()
    expect(read).toHaveBeenCalledOnce()
  })

  it('says why a file cannot be read', async () => {
    onPost('/api/preview-waitlist-import', () => failure(400, 'The file is a workbook.'))
    renderView(WaitlistView)
    const dialog = await openDialog()
    await userEvent.upload(dialog.getByLabelText('CSV file'), aFile())
    expect(await dialog.findByRole('alert')).toHaveTextContent('The file is a workbook.')
    expect(dialog.getByRole('button', { name: 'Import' })).toBeDisabled()
  })

  it('reports the lines that were not added, and can be run again', async () => {
    const sent: unknown[] = []
    onPost('/api/import-waitlist-users', ({ body, bearer, request }) => {
      sent.push([body, bearer, request.headers.get('content-type')])
      const known = sent.length > 1
      return {
        added: known ? 0 : 1,
        known: known ? 1 : 0,
        invalid: 1,
        lines: [
          { line: 3, email: 'nobody', outcome: 'invalid' as const, error: 'This is no address.' },
        ],
      }
    })
    const { container } = renderView(WaitlistView)
    const dialog = await openDialog()
    await waitFor(() => expect(dialog.getByRole('button', { name: 'Import' })).toBeDisabled())
    const file = aFile('email\r\na@b.test\r\nnobody\r\n')
    await importFile(dialog, file)
    const result = await dialog.findByRole('group', { name: 'Result' })
    expect(result).toHaveTextContent('Added1Known0Failed1')
    expect(dialog.getByRole('row', { name: /3 nobody failed This is no address\./ })).toBeVisible()
    expect(dialog.getByRole('list', { name: 'Reasons' })).toHaveTextContent(
      '1 line: This is no address.',
    )
    await userEvent.click(dialog.getByRole('button', { name: 'Save the failed lines' }))
    expect(saveFile).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ name: 'failed-lines.csv' }),
    )
    expect(sent).toEqual([['email\r\na@b.test\r\nnobody\r\n', 'token-1', 'text/csv']])
    expect(await violations(container)).toEqual([])
    await userEvent.click(dialog.getByRole('button', { name: 'Import again' }))
    await waitFor(() =>
      expect(dialog.getByRole('group', { name: 'Result' })).toHaveTextContent(
        'Added0Known1Failed1',
      ),
    )
    expect(sent).toHaveLength(2)
  })

  it('shows a hundred of the lines that failed, and counts all', async () => {
    const lines = Array.from({ length: 101 }, (_, i) => {
      return {
        line: i + 2,
        email: `nobody-${i}`,
        outcome: 'invalid' as const,
        error: 'No address.',
      }
    })
    onPost('/api/import-waitlist-users', () => ({ added: 0, known: 0, invalid: 101, lines }))
    renderView(WaitlistView)
    const dialog = await openDialog()
    await importFile(dialog, aFile())
    expect(await dialog.findByText('101 lines: No address.')).toBeVisible()
    expect(dialog.getByText('The first 100 lines that failed:')).toBeVisible()
    expect(dialog.getByText('nobody-99')).toBeVisible()
    expect(dialog.queryByText('nobody-100')).toBeNull()
  })

  it('takes a file that is dropped, but none that is too large', async () => {
    renderView(WaitlistView)
    const dialog = await openDialog()
    const target = dialog.getByText('Choose a file, or drop it here')
    const large = aFile()
    Object.defineProperty(large, 'size', { value: MAX_IMPORT_BYTES + 1 })
    fireEvent.drop(target, { dataTransfer: { files: [large] } })
    expect(await dialog.findByRole('alert')).toHaveTextContent('people.csv is larger than 200 MiB.')
    await waitFor(() => expect(dialog.getByRole('button', { name: 'Import' })).toBeDisabled())
    fireEvent.drop(target, { dataTransfer: { files: [aFile()] } })
    expect(await dialog.findByText(/^people\.csv \(/)).toBeVisible()
    await waitFor(() => expect(dialog.queryByRole('alert')).not.toBeInTheDocument())
    await waitFor(() => expect(dialog.getByRole('button', { name: 'Import' })).toBeEnabled())
  })

  it.each([
    [() => failure(400, 'Line 2 ends inside a quote.'), 'Line 2 ends inside a quote.'],
    [() => new Response('', { status: 500 }), 'Failed to import the file'],
    [offline, 'Network error. Please try again.'],
  ])('that fails says so (%#)', async (answer, text) => {
    onPost('/api/import-waitlist-users', answer)
    renderView(WaitlistView)
    const dialog = await openDialog()
    await importFile(dialog, aFile())
    expect(await dialog.findByRole('alert')).toHaveTextContent(text)
    await waitFor(() =>
      expect(dialog.getByRole('button', { name: 'Import' })).not.toHaveAttribute('aria-disabled'),
    )
  })
})
