import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react'

interface Options {
  /** Holds the place of the component until its code is there. */
  loading?: ComponentType
}

let hydrated = false

/** next/dynamic: a component whose code is fetched when it is first shown, never before hydration. */
export default function dynamic<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { loading: Loading = () => null }: Options = {},
) {
  const Loaded = lazy(async () => {
    const component = await load()
    // Its code has just run: what it shows is a task of its own.
    await new Promise((resolve) => setTimeout(resolve))
    return { default: component }
  })
  return function Dynamic(props: Props) {
    const [ready, setReady] = useState(hydrated)
    useEffect(() => {
      hydrated = true
      setReady(true)
    }, [])
    if (!ready) return <Loading />
    return (
      <Suspense fallback={<Loading />}>
        <Loaded {...props} />
      </Suspense>
    )
  }
}
