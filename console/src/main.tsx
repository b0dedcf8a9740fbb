import './ui/tokens.css';
import 'virtual:styles';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/api.ts';
import { router } from './app/router.tsx';
import { loadFirstTranslator, TranslatorProvider } from './i18n/i18n.tsx';
import { ToastProvider } from './ui/toast.tsx';

const first = await loadFirstTranslator();
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <TranslatorProvider first={first}>
      <QueryClientProvider client={queryClient}>
        <ToastProvider>
          <RouterProvider router={router} />
        </ToastProvider>
      </QueryClientProvider>
    </TranslatorProvider>
  </StrictMode>,
);
