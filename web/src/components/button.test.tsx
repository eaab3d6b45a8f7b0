import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { violations } from '@/testing/axe'
import { Button } from './button'

test('a button that is pending keeps the focus, says so and ignores clicks', async () => {
  const save = vi.fn()
  function Save() {
    const [pending, setPending] = useState(false)
    const start = () => {
      save()
      setPending(true)
    }
    return (
      <Button pending={pending} onClick={start}>
        Save
      </Button>
    )
  }
  const { container } = render(<Save />)
  const button = screen.getByRole('button', { name: 'Save' })
  expect(button).not.toHaveAttribute('aria-disabled')
  await userEvent.click(button)
  await userEvent.click(button)
  await userEvent.keyboard('{Enter}')
  expect(save).toHaveBeenCalledOnce()
  expect(button).toHaveFocus()
  expect(button).toHaveAttribute('aria-disabled', 'true')
  expect(button).toHaveAttribute('aria-busy', 'true')
  expect(await violations(container)).toEqual([])
})

test.each([{ pending: true }, { 'aria-disabled': true }])('%o submits no form', async (resting) => {
  const submit = vi.fn((event: { preventDefault: () => void }) => event.preventDefault())
  render(
    <form onSubmit={submit}>
      <input aria-label="Email" />
      <Button type="submit" {...resting}>
        Send
      </Button>
    </form>,
  )
  await userEvent.click(screen.getByRole('button', { name: 'Send' }))
  await userEvent.type(screen.getByRole('textbox', { name: 'Email' }), 'a{Enter}')
  expect(submit).not.toHaveBeenCalled()
})

test('by itself it submits nothing, and is disabled where a state says so', async () => {
  const submit = vi.fn()
  const press = vi.fn()
  render(
    <form onSubmit={submit}>
      <Button>Plain</Button>
      <Button disabled onClick={press}>
        Current
      </Button>
    </form>,
  )
  await userEvent.click(screen.getByRole('button', { name: 'Plain' }))
  await userEvent.click(screen.getByRole('button', { name: 'Current' }))
  expect(submit).not.toHaveBeenCalled()
  expect(press).not.toHaveBeenCalled()
  expect(screen.getByRole('button', { name: 'Current' })).toBeDisabled()
})
