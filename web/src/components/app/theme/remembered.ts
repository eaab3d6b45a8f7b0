import type { SystemContext } from '@chakra-ui/react'

/** `make`, called once for each object. */
function byIdentity<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, Value>()
  return (key) => {
    let value = made.get(key)
    if (value === undefined) {
      value = make(key)
      made.set(key, value)
    }
    return value
  }
}

const isEmpty = (style: object | undefined) => {
  for (const _ in style) return false
  return true
}

/**
 * `system` with what it makes for an element kept for the next one. By itself Chakra makes the recipe of
 * `chakra('div', …)` for each element, and looks styles up by a text of all they hold.
 */
export function remembered(system: SystemContext): SystemContext {
  const { cva, css, isValidProperty } = system
  const properties = new Map<string, boolean>()
  const oneStyle = byIdentity((style: object) => css(style))
  return {
    ...system,
    cva: byIdentity(cva as (config: object) => unknown) as SystemContext['cva'],
    css: (...styles) => {
      const [style, ...others] = styles.filter((style) => !isEmpty(style))
      return style && others.length === 0 ? oneStyle(style) : css(...styles)
    },
    isValidProperty: (name) => {
      let valid = properties.get(name)
      if (valid === undefined) {
        valid = isValidProperty(name)
        properties.set(name, valid)
      }
      return valid
    },
  }
}
