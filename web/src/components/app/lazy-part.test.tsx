import { Button } from '@chakra-ui/react'
import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { lazyPart } from './lazy-part'

/** Chakra's own need the design system around them. */
const Greeting = ({ name }: { name: string }) => <Button>Hello {name}</Button>

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

test('something else takes the place of a part that does not arrive', async () => {
  const Part = lazyPart(() => Promise.reject(new Error('offline')), {
    failed: () => <p>Not now</p>,
  })
  render(<Part />)
  expect(await screen.findByText('Not now')).toBeVisible()
})
