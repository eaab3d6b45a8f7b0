// eslint-disable-next-line no-restricted-imports -- here alone: what fails to load is dealt with below
import dynamic from 'next/dynamic'
import type { ComponentType, ReactNode } from 'react'
import { NotLoaded } from './not-loaded'
import { Part } from './part'

interface Options<Props> {
  /** Holds the place of the part until it is there. */
  loading?: () => ReactNode
  /** Takes its place when it does not arrive, such as without a network; a message by itself. */
  failed?: ComponentType<Props>
}

/**
 * A part of a page whose code is fetched when it is first shown, with a second try if that fails. What it
 * cannot show is replaced where it stands.
 */
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
  const Loaded = dynamic(loadOrReplace, { loading, ssr: false })
  return function LazyView(props: Props) {
    return (
      <Part>
        <Loaded {...props} />
      </Part>
    )
  }
}

/** The same with the design system around it, which is fetched together with the part. */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  options: Options<Props> = {},
): ComponentType<Props> {
  return lazyView(async () => {
    const [{ DesignSystem }, Loaded] = await Promise.all([import('./theme/design-system'), load()])
    return function Designed(props: Props) {
      return (
        <DesignSystem>
          <Loaded {...props} />
        </DesignSystem>
      )
    }
  }, options)
}
