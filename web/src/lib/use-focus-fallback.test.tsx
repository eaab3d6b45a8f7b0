import { render, screen } from '@testing-library/react'
import { useRef } from 'react'
import { expect, test } from 'vitest'
import { focusIfLost, useFocusFallback } from './use-focus-fallback'

function Action() {
  const part = useRef<HTMLDivElement>(null)
  useFocusFallback(part, (element) => element.closest('[role=listitem]'))
  return (
    <div ref={part}>
      <button>Approve</button>
    </div>
  )
}

const row = (approved: boolean) => (
  <>
    <input aria-label="Search" />
    <div role="list">
      <div role="listitem" tabIndex={-1}>
        {!approved && <Action />}
      </div>
    </div>
  </>
)

test('the focus moves on from what goes away with it', () => {
  const { rerender } = render(row(false))
  screen.getByRole('button', { name: 'Approve' }).focus()
  rerender(row(true))
  expect(screen.getByRole('listitem')).toHaveFocus()
})

test('it stays where a person has moved it', () => {
  const { rerender } = render(row(false))
  screen.getByRole('textbox', { name: 'Search' }).focus()
  rerender(row(true))
  expect(screen.getByRole('textbox', { name: 'Search' })).toHaveFocus()
})

test('the fallback is focused only where the focus is lost', () => {
  const part = (button: boolean) => (
    <section>
      <h2 tabIndex={-1}>Devices</h2>
      {button && <button>Sign out</button>}
    </section>
  )
  const { rerender } = render(part(true))
  screen.getByRole('button').focus()
  focusIfLost(screen.getByRole('heading'))
  expect(screen.getByRole('button')).toHaveFocus()
  rerender(part(false))
  focusIfLost(screen.getByRole('heading'))
  expect(screen.getByRole('heading')).toHaveFocus()
})
