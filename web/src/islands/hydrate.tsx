import { type ComponentType, startTransition, useEffect } from 'react'
import { hydrateRoot } from 'react-dom/client'
import type { IslandName } from '@/components/island'
import { IslandBoundary } from '@/components/island-boundary'
import { registry } from './registry'

/** Hydrates one island with the properties in its markup. */
export function hydrate(element: HTMLElement): void {
  const { name = '', props = '{}' } = element.dataset
  const Component = registry[name as IslandName] as ComponentType<object> | undefined
  if (!Component) throw new Error(`no island is called ${name}`)
  const { clicked } = element.dataset
  const before = { fields: fieldsOf(element), focused: document.activeElement }
  // From here on React hears of clicks itself.
  element.dataset.hydrated = ''
  delete element.dataset.clicked
  // As a transition it runs in short tasks.
  startTransition(() => {
    hydrateRoot(
      element,
      // An invisible island (page views) needs no visible fallback.
      <IslandBoundary fallback={element.textContent ? undefined : null}>
        <CarryOver island={element} {...before} />
        <Component {...(JSON.parse(props) as object)} />
        {clicked !== undefined && <Replay click={() => clickButton(element, Number(clicked))} />}
      </IslandBoundary>,
      { onCaughtError: log, onRecoverableError: log },
    )
  })
}

// What an extension has changed in the markup is no error of the page: it is logged, and not counted.
const log = (error: unknown) => console.error(error)

const fieldsOf = (island: HTMLElement) => [
  ...island.querySelectorAll<HTMLElement>('input, form, button, a'),
]

interface CarryOverProps {
  island: HTMLElement
  /** As they were before the hydration, and what had the focus. */
  fields: readonly HTMLElement[]
  focused: Element | null
}

/**
 * A password manager or a translator may have changed the markup, which React then renders anew: what was typed and
 * submitted goes along, before the effects of what comes after this.
 */
function CarryOver({ island, fields, focused }: CarryOverProps) {
  useEffect(() => {
    const now = fieldsOf(island)
    fields.forEach((old, at) => {
      const field = now.length === fields.length ? now[at] : namesake(now, old)
      if (old.isConnected || !field) return
      if ('submitted' in old.dataset) field.dataset.submitted = ''
      if (field instanceof HTMLInputElement && old instanceof HTMLInputElement)
        field.value = old.value
      if (old === focused && document.activeElement === document.body) field.focus()
    })
  }, [island, fields, focused])
  return null
}

/** An extension may have added a field of its own. */
const namesake = (now: readonly HTMLElement[], old: HTMLElement) => {
  const name = old.getAttribute('name')
  return now.find((one) => name !== null && one.getAttribute('name') === name)
}

const clickButton = (island: HTMLElement, index: number) =>
  island.querySelectorAll('button')[index]?.click()

/** Replays the click that the page has kept (src/inline/keep-clicks.ts), after the effects of what is before it. */
function Replay({ click }: { click: () => void }) {
  useEffect(click, [click])
  return null
}
