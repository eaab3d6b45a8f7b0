import { Box } from '@chakra-ui/react'
import { render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { lazyPart, lazyView } from './lazy-part'

/** Chakra's own need the design system around them. */
const Greeting = ({ name }: { name: string }) => <Box as="button">Hello {name}</Box>

test('a part comes with the design system when it is shown', async () => {
  let asked = 0
  const load = () => {
    asked += 1
    return Promise.resolve(Greeting)
  }
  const Part = lazyPart(load, { loading: () => <p>One moment</p> })
  expect(asked).toBe(0)
  render(<Part name="Ada" />)
  expect(screen.getByText('One moment')).toBeVisible()
  expect(await screen.findByRole('button', { name: 'Hello Ada' })).toBeVisible()
  expect(screen.queryByText('One moment')).toBeNull()
})

const unreachable = () => Promise.reject(new Error('offline'))

test.each([
  ['with the design system', lazyPart],
  ['without it', lazyView],
])('a part %s that does not arrive is replaced, and the page stays', async (_, lazy) => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  const Silent = lazy(unreachable)
  const Part = lazy(unreachable, { failed: () => <p>Not now</p> })
  render(
    <>
      <h1>Page</h1>
      <Silent />
      <Part />
    </>,
  )
  expect(await screen.findByText('Not now')).toBeVisible()
  expect(await screen.findByRole('alert')).toHaveTextContent(
    'This part of the page could not be loaded.',
  )
  expect(screen.getByRole('button', { name: 'Reload the page' })).toBeVisible()
  expect(screen.getByRole('heading', { name: 'Page' })).toBeVisible()
  expect(log).toHaveBeenCalled()
})

const Arrived = () => <p>There</p>

test('a part that fails to arrive once is asked for again', async () => {
  let asked = 0
  const Part = lazyView(async () => {
    asked += 1
    if (asked === 1) throw new Error('offline')
    return Arrived
  })
  render(<Part />)
  expect(await screen.findByText('There')).toBeVisible()
  expect(asked).toBe(2)
})
