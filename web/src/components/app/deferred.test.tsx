import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Deferred } from './deferred'

test('children come after what is around them', () => {
  const rendered: string[] = []
  const Part = ({ name }: { name: string }) => {
    rendered.push(name)
    return <p>{name}</p>
  }
  render(
    <>
      <Deferred fallback={<Part name="room" />}>
        <Part name="below" />
      </Deferred>
      <Part name="above" />
    </>,
  )
  expect(rendered).toEqual(['room', 'above', 'below'])
  expect(screen.getByText('below')).toBeVisible()
  expect(screen.queryByText('room')).toBeNull()
})
