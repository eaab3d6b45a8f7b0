// eslint-disable-next-line no-restricted-imports -- only here, where failures to load are handled
import dynamic from 'next/dynamic'
import type { ComponentType, ReactNode } from 'react'
import { NotLoaded } from './not-loaded'
import { PartBoundary } from './part-boundary'

interface Options<Props> {
  /** The placeholder while the code loads, such as a skeleton. */
  loading?: () => ReactNode
  /** The fallback when the code cannot be loaded, such as without a network; by default a message. */
  failed?: ComponentType<Props>
}

/**
 * A lazy-loaded part of a page: its code is fetched when it is first shown, with one retry. Both a failure to load and
 * a failure to render lead to a fallback in its place.
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
      <PartBoundary>
        <Loaded {...props} />
      </PartBoundary>
    )
  }
}

/** `lazyView` with Chakra's provider around it, whose code is fetched in parallel. */
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
