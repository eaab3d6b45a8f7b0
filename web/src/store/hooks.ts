import { useDispatch, useSelector } from 'react-redux'
import type { AppDispatch, RootState } from './store'

/** The typed hooks; features use these instead of react-redux's own. */
export const useAppDispatch = useDispatch.withTypes<AppDispatch>()
export const useAppSelector = useSelector.withTypes<RootState>()
