// eslint-disable-next-line no-restricted-imports -- here alone: what fails to load is dealt with below
import dynamic from 'next/dynamic'
import type { ComponentType, ReactNode } from 'react'
import { NotLoaded } from './not-loaded'

const ownTask = () => new Promise((resolve) => setTimeout(resolve))

/** The design system; Chakra's modules run in one task, what the site makes of them in the next. */
async function loadDesign() {
  await import('./chakra')
  await ownTask()
  return import('./theme/design-system')
}

interface Options<Props> {
  /** Holds the place of the part until it is there. */
  loading?: () => ReactNode
  /** Takes its place when it does not arrive, such as without a network; a message by itself. */
  failed?: ComponentType<Props>
}

/** A part of a page whose code is fetched when it is first shown, with a second try if that fails. */
export function lazyView<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { loading = () => null, failed = NotLoaded }: Options<Props> = {},
): ComponentType<Props> {
  const loadOrReplace = () =>
    load()
      .catch(load)
      .catch((error: unknown) => {
        console.error('A part of the page could not be loaded', error)
        return failed
      })
  return dynamic(loadOrReplace, { loading })
}

/**
 * The same with the design system around it. Both are fetched when the part is first shown, and run in
 * tasks of their own, so that the page has come to life before.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  options: Options<Props> = {},
): ComponentType<Props> {
  return lazyView(async () => {
    const [{ DesignSystem }, Part] = await Promise.all([loadDesign(), load()])
    return function Designed(props: Props) {
      return (
        <DesignSystem>
          <Part {...props} />
        </DesignSystem>
      )
    }
  }, options)
}
