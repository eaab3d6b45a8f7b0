'use client'

import { Component, type ReactNode } from 'react'
import { announceProblem } from '@/lib/analytics/problems'
import button from './button.module.css'

interface IslandBoundaryProps {
  /** Rendered instead of an island that failed; by default a message with a reload button. */
  fallback?: ReactNode
  children: ReactNode
}

/**
 * The error boundary of an island: if it fails to render, the fallback replaces it and the rest of the visitors' page
 * stays as it is. `components/app/part-boundary.tsx` is the same for the app pages.
 */
export class IslandBoundary extends Component<IslandBoundaryProps, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override componentDidCatch() {
    announceProblem('island_failed')
  }

  override render() {
    if (!this.state.failed) return this.props.children
    return this.props.fallback === undefined ? <NotShown /> : this.props.fallback
  }
}

function NotShown() {
  return (
    <div role="alert">
      <p>This part of the page could not be shown.</p>
      <p>
        <button
          type="button"
          className={button.secondary}
          data-event="reload_page"
          onClick={() => window.location.reload()}
        >
          Reload the page
        </button>
      </p>
    </div>
  )
}
