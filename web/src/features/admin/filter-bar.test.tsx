import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { renderApp } from '@/testing/render'
import { ChoiceField, FilterBar, SearchField } from './filter-bar'

test('a list is searched, narrowed and asked for again', async () => {
  const calls = { type: vi.fn(), choose: vi.fn(), refresh: vi.fn() }
  renderApp(
    <FilterBar label="Things" refreshing={false} onRefresh={calls.refresh}>
      <SearchField label="Search things" value="" onType={calls.type} />
      <ChoiceField
        label="State"
        all="All states"
        values={['new', 'long_gone']}
        value=""
        onChoose={calls.choose}
      />
    </FilterBar>,
  )
  const bar = within(screen.getByRole('search', { name: 'Things' }))
  const search = bar.getByRole('searchbox', { name: 'Search things' })
  // The API refuses a longer one.
  expect(search).toHaveAttribute('maxlength', '254')
  await userEvent.type(search, 'x')
  expect(calls.type).toHaveBeenLastCalledWith('x')

  expect(bar.getAllByRole('option').map((option) => option.textContent)).toEqual([
    'All states',
    'New',
    'Long gone',
  ])
  await userEvent.selectOptions(bar.getByRole('combobox', { name: 'State' }), 'Long gone')
  expect(calls.choose).toHaveBeenLastCalledWith('long_gone')

  await userEvent.click(bar.getByRole('button', { name: 'Refresh' }))
  expect(calls.refresh).toHaveBeenCalledOnce()
})
