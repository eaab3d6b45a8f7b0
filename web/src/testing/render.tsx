import { render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach } from 'vitest'
import { clearToasts, Toasts } from '@/components/app/toaster'
import { DesignSystem } from '@/components/app/theme/design-system'
import type { SessionManager } from '@/features/session/session-manager'
import { SessionProvider } from '@/features/session/session-provider'
import type { Session } from '@/lib/api/types'
import { managerOf } from './session'

// jsdom lays nothing out, so nothing ever changes its size.
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
}

afterEach(clearToasts)

interface AppOptions {
  /** Who is signed in; null for nobody. */
  session?: Session | null
  manager?: SessionManager
}

/** Renders what stands inside the app pages' layout: design system, session, store and toasts. */
export function renderApp(ui: ReactNode, { session = null, manager }: AppOptions = {}) {
  return render(
    <DesignSystem>
      <SessionProvider manager={manager ?? managerOf(session)}>
        {ui}
        <Toasts />
      </SessionProvider>
    </DesignSystem>,
  )
}
