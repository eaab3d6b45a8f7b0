import { createSystem, defaultBaseConfig } from '@chakra-ui/react'
import { expect, test, vi } from 'vitest'
import { recipes } from './recipes'
import { remembered } from './remembered'

const chakra = createSystem(defaultBaseConfig, { theme: { recipes } })

test('a recipe is made once', () => {
  const cva = vi.fn(chakra.cva)
  const system = remembered({ ...chakra, cva: cva as typeof chakra.cva })
  const recipe = { base: { color: 'red' } }
  expect(system.cva(recipe)).toBe(system.cva(recipe))
  expect(cva).toHaveBeenCalledOnce()
})

test('styles are what Chakra makes of them, with nothing added in between', () => {
  const system = remembered(chakra)
  const card = { px: '4', _hover: { color: 'red' } }
  expect(system.css(card)).toEqual(chakra.css(card))
  expect(system.css(card, {})).toBe(system.css({}, card))
  expect(system.css(card, { px: '8' })).toEqual(chakra.css(card, { px: '8' }))
  expect(system.css({}, {})).toEqual(chakra.css({}))
})

test('properties are those of Chakra', () => {
  const system = remembered(chakra)
  for (const name of ['px', 'color', '_hover', 'onClick', 'px']) {
    expect(system.isValidProperty(name)).toBe(chakra.isValidProperty(name))
  }
})
