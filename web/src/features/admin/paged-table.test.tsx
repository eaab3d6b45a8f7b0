import { act, renderHook, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { renderApp } from '@/testing/render'
import { filterPages } from './filter-pages'
import { Cell, PagedTable, Row } from './paged-table'
import { useSelection } from './use-selection'

interface Person {
  id: string
}

function Name({ id }: Person) {
  if (!id.trim()) throw new Error('nobody')
  return (
    <Row>
      <Cell>{id}</Cell>
    </Row>
  )
}

const draw = vi.fn((person: Person) => <Name {...person} />)
const people = (...names: string[]) => names.map((id) => ({ id }))

const first = people('Ada', 'Bea')

function Names() {
  const [pages, setPages] = useState([first])
  return (
    <>
      <PagedTable
        caption="Names"
        columns=""
        titles={['Name']}
        unseen={[]}
        pages={pages}
        loading={false}
      >
        {draw}
      </PagedTable>
      <button onClick={() => setPages([first, people('Cem')])}>More</button>
    </>
  )
}

describe('a table of many pages', () => {
  it('draws only the page that is new', async () => {
    renderApp(<Names />)
    expect(screen.getByText('Bea')).toBeInTheDocument()
    draw.mockClear()
    await userEvent.click(screen.getByRole('button', { name: 'More' }))
    expect(screen.getByText('Cem')).toBeInTheDocument()
    expect(new Set(draw.mock.calls.map(([{ id }]) => id))).toEqual(new Set(['Cem']))
  })

  it('shows the others when a row cannot be shown', () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    renderApp(
      <PagedTable
        caption="Names"
        columns=""
        titles={['Name']}
        unseen={[]}
        pages={[people('Ada', ' ', 'Cem')]}
        loading={false}
      >
        {draw}
      </PagedTable>,
    )
    const rows = screen.getAllByRole('row').map((row) => row.textContent)
    expect(rows).toEqual(['Name', 'Ada', 'This row could not be shown.', 'Cem'])
  })

  it('keeps the pages of which all rows match', () => {
    const pages = [['Ada', 'Ali'], ['Ann', 'Bea'], ['Cem']]
    const [one, two, ...others] = filterPages(pages, (name) => name.startsWith('A'))
    expect(one).toBe(pages[0])
    expect(two).toEqual(['Ann'])
    expect(others).toEqual([])
  })

  it('has the same selection, and the same way to change it, while nothing is selected', () => {
    const items = [{ id: 'a' }, { id: 'b' }]
    const { result, rerender } = renderHook(({ of }) => useSelection(items, of), {
      initialProps: { of: 'all' },
    })
    const { ids, toggle } = result.current
    rerender({ of: 'all' })
    expect(result.current.ids).toBe(ids)
    expect(result.current.toggle).toBe(toggle)
    act(() => {
      toggle(items[0]!)
      toggle(items[1]!)
    })
    expect([...result.current.ids]).toEqual(['a', 'b'])
    act(() => toggle(items[0]!))
    expect(result.current.selected).toEqual([{ id: 'b' }])
    rerender({ of: 'some' })
    expect(result.current.selected).toEqual([])
  })
})
