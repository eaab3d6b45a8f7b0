import { Component, type ReactNode } from 'react'
import { ErrorScreen } from '@/components/error-screen'
import { announceProblem } from '@/lib/analytics/problems'

/** Shows the error screen instead of a page that has failed. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state = { error: null }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override componentDidCatch(error: Error) {
    console.error(error)
    announceProblem(error.message)
  }

  override render() {
    return this.state.error ? <ErrorScreen error={this.state.error} /> : this.props.children
  }
}
