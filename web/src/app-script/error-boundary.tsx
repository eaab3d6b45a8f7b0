import { Component, type ReactNode } from 'react'
import { ErrorScreen } from '@/components/error-screen'

/** Shows the error screen instead of a page that has failed. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state = { error: null }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render() {
    return this.state.error ? <ErrorScreen error={this.state.error} /> : this.props.children
  }
}
