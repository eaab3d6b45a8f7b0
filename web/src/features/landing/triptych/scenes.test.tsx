import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { HabitsScreen } from './habits-screen'
import { Phone } from './phone'
import { PlantsScreen } from './plants-screen'
import { lineOf, scenes } from './scenes'
import { SplitScreen } from './split-screen'

const screens = { habits: HabitsScreen, plants: PlantsScreen, split: SplitScreen }

test.each(scenes)('$id: every part of the screen comes from a line of its code', (scene) => {
  const Screen = screens[scene.id]
  // Throws when a part names a line that the code does not have.
  render(
    <Phone label={scene.screen}>
      <Screen code={scene.code} />
    </Phone>,
  )
  const title = /\.navigationTitle\("(.+)"\)/.exec(scene.code)![1]!
  expect(screen.getByRole('img', { name: scene.screen })).toHaveTextContent(title)
})

test.each(scenes)('$id: the code is a whole file that fits its panel', ({ code }) => {
  const count = (character: string) => code.split(character).length
  expect(count('{')).toBe(count('}'))
  expect(count('(')).toBe(count(')'))
  expect(code).toMatch(/^import /)
  expect(code.split('\n').length).toBeLessThanOrEqual(37)
  expect(Math.max(...code.split('\n').map((line) => line.length))).toBeLessThanOrEqual(53)
})

test('the bill adds up', () => {
  expect((84 * 1.15) / 3).toBeCloseTo(32.2)
  expect((84 * 1.2) / 3).toBeCloseTo(33.6)
  render(<SplitScreen code={scenes[2].code} />)
  expect(screen.getByText('$32.20')).toBeInTheDocument()
  expect(screen.getByText('$33.60')).toBeInTheDocument()
})

test('lineOf names the fragment that is missing', () => {
  expect(lineOf('a\nb', 'b')).toBe(1)
  expect(() => lineOf('a\nb', 'c')).toThrow('"c"')
})
